import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownSource } from '../../server/import/markdown/source.ts';
import { runImport } from '../../server/import/run.ts';
import type { Location } from '../site.ts';
import { findPost } from './find-lost.ts';
import type { Told } from './model/acts.ts';
import { firstWordOfTag, wordsAt } from './model/post-acts.ts';
import type { World } from './model/world.ts';
import { textOf } from './perform.ts';
import { asCommand } from './server.ts';
import type { DeedOf } from './steps.ts';

/**
 * Imports a Markdown file as a post of the first admin, beside the servers, as `coterie import FOLDER` does. Returns what only
 * the site could tell, or why it was not imported.
 */
export async function importPost(
  location: Location,
  world: World,
  step: DeedOf<'importPost'>,
): Promise<Told | string> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-import-'));
  try {
    await writeFile(join(folder, `post-${step.at}.md`), markdownOf(world, step));
    return await asCommand(location, async deps => {
      const { u0 } = world.accounts;
      const options = { authorId: u0?.isGone ? null : (u0?.id ?? null), isDryRun: false };
      const by = { user: null, via: 'import' as const, viaName: null, address: null };
      for await (const item of runImport({ ...deps, by }, await markdownSource(folder, 'UTC'), options)) {
        if (item.outcome !== 'created') return `the import says: ${JSON.stringify(item)}`;
      }
      return (await findPost(deps.db, step)) ?? 'the import brought nothing';
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function markdownOf(world: World, { at, type, tags, isDraft }: DeedOf<'importPost'>): string {
  const { title, description, head, tail } = wordsAt(at, type);
  const names = tags.map(tag => world.tags[tag]?.word ?? firstWordOfTag(tag));
  return [
    '---',
    ...(type === 'essay' ? [`title: ${title}`, `description: ${description}`] : []),
    `date: ${new Date(world.now).toISOString()}`,
    `tags: [${names.join(', ')}]`,
    `draft: ${isDraft}`,
    '---',
    textOf({ head, tail }),
  ].join('\n');
}
