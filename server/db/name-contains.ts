import { expressionBuilder, type Kysely, sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import type { Tables } from './tables.ts';

/**
 * Whether the name of a row of `users` contains a text, in any case. SQLite folds the case of ASCII letters
 * only, so it is looked up in the ways people write names.
 */
export function nameContains(db: Kysely<Tables>, part: string) {
  const { containsText } = dialectOf(db);
  const spellings = new Set([part, part.toLowerCase(), capitalised(part)]);
  return expressionBuilder<Tables, 'users'>().or(
    [...spellings].map(spelling => containsText(sql.ref('users.name'), spelling)),
  );
}

function capitalised(text: string): string {
  return text.toLowerCase().replaceAll(/(?<!\p{L})\p{L}/gu, letter => letter.toUpperCase());
}
