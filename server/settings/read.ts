import type { Kysely } from 'kysely';
import type { TagCatalogue } from '../access/audience.ts';
import { cached } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import type { Tables } from '../db/tables.ts';

/** Markdown as written, and rendered when it was saved. Both are empty until an admin writes it. */
export type About = { content: string; html: string };

/** Loads the About text, and again when it has changed: every page shows it. */
export function aboutText(db: Kysely<Tables>, changes: ChangeRecord): () => Promise<About> {
  return cached(changes, madeFrom => {
    madeFrom('settings');
    return loadAbout(db);
  });
}

async function loadAbout(db: Kysely<Tables>): Promise<About> {
  const rows = await db
    .selectFrom('settings')
    .selectAll()
    .where('name', 'in', ['about', 'about-html'])
    .execute();
  const value = (name: string) => rows.find(row => row.name === name)?.value ?? '';
  return { content: value('about'), html: value('about-html') };
}

/** The names of the default tags, deleted ones too: they go on letting everybody read (decisions.md 5). */
export function defaultTagNames({ tags, defaultTagIds }: TagCatalogue): string[] {
  return [...defaultTagIds].flatMap(id => tags.get(id)?.name ?? []).sort((a, b) => a.localeCompare(b, 'en'));
}
