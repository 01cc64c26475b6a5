import type { Kysely } from 'kysely';
import * as numbered from './numbered.ts';

type NumberedMigration = {
  up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void>;
  /**
   * Whether programs that do not know this migration must stop writing: they would leave out what later ones
   * rely on.
   */
  endsOlder?: boolean;
};

/** In the order of their names, in which they apply. */
export const migrations: Record<string, NumberedMigration> = { ...numbered };

/** The schema that this program writes. */
export const newestMigration = Object.keys(migrations).at(-1) ?? '';
