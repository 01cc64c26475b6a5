import type { Kysely } from 'kysely';
import { inAlphabeticalOrder } from '../../contract/text.ts';
import type { TagCatalogue } from '../access/audience.ts';
import { versionOfTags } from '../base/version.ts';
import { cached } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import type { Tables } from '../db/tables.ts';
import type { Rendered } from '../markdown/render.ts';
import { shownHtml } from '../markdown/stored.ts';

/** The original Markdown, and its renderings from the last save. All are empty until an admin writes it. */
export type About = { content: string } & Rendered;

/** Loads the About text, which every page shows, and loads it again when it has changed. */
export function aboutText(db: Kysely<Tables>, changes: ChangeRecord): () => Promise<About> {
  return cached(changes, dependsOn => {
    dependsOn('settings');
    return loadAbout(db);
  });
}

async function loadAbout(db: Kysely<Tables>): Promise<About> {
  const rows = await db
    .selectFrom('settings')
    .selectAll()
    .where('name', 'in', ['about', 'about-html', 'about-text', 'about-readable'])
    .execute();
  const value = (name: (typeof rows)[number]['name']) => rows.find(row => row.name === name)?.value ?? '';
  const [html, text, readable] = [value('about-html'), value('about-text'), value('about-readable')];
  return { content: value('about'), html: shownHtml(html), text, readable };
}

/**
 * The names of the default tags, deleted ones included: everybody may still read posts with them
 * (decision 5).
 */
export function describeDefaultTags({ tags, defaultTagIds }: Pick<TagCatalogue, 'tags' | 'defaultTagIds'>) {
  const names = [...defaultTagIds].flatMap(id => tags.get(id)?.name ?? []);
  return { tags: names.sort(inAlphabeticalOrder), version: versionOfTags([...defaultTagIds]) };
}
