import type { Kysely } from 'kysely';
import type { TagCatalogue } from '../access/audience.ts';
import type { Tables } from '../db/tables.ts';

/** The About text: Markdown as written, and rendered when it was saved. Empty until an admin writes one. */
export async function getAbout(db: Kysely<Tables>): Promise<{ content: string; html: string }> {
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
