import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { renderMarkdown } from '../markdown/render.ts';

/** The About text: Markdown as written, and rendered. Empty until an admin writes one. */
export async function getAbout(db: Kysely<Tables>): Promise<{ content: string; html: string }> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'about').executeTakeFirst();
  const content = row?.value ?? '';
  return { content, html: renderMarkdown(content, { idPrefix: 'about-' }).html };
}
