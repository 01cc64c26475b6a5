import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { runImport } from '../../server/moving/import/run.ts';
import type { Location } from '../support/site.ts';
import { findPost } from './find-lost.ts';
import { importPost } from './model/post-acts.ts';
import { firstWordOfTag, textOf, wordsAt } from './model/post-words.ts';
import type { World } from './model/world.ts';
import { asCommand } from './server.ts';
import type { DeedOf } from './steps.ts';

/**
 * Imports a Markdown file as a post of the first admin while the servers run, as `coterie import FOLDER`
 * does. Returns these worlds with the post, or why it was not imported.
 */
export async function importOn(
  location: Location,
  worlds: readonly World[],
  step: DeedOf<'importPost'>,
): Promise<World[] | string> {
  const [world] = worlds;
  if (world === undefined) return [];
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
      const told = await findPost(deps.db, step);
      if (told === null) return 'the import brought nothing';
      const after = structuredClone([...worlds]);
      for (const each of after) importPost(each, step, told);
      return after;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function markdownOf(
  world: World,
  { at, type, tags, isDraft, yearsAgo = 0 }: DeedOf<'importPost'>,
): string {
  const { title, description, head, tail } = wordsAt(at, type);
  const names = tags.map(tag => world.tags[tag]?.word ?? firstWordOfTag(tag));
  // The process that imports has the machine's clock, and what is dated later is a draft.
  const date = new Date(Math.min(world.now, Date.now()));
  date.setUTCFullYear(date.getUTCFullYear() - yearsAgo);
  return [
    '---',
    ...(type === 'essay' ? [`title: ${title}`, `description: ${description}`] : []),
    `date: ${date.toISOString()}`,
    `tags: [${names.join(', ')}]`,
    `draft: ${isDraft}`,
    '---',
    textOf({ head, tail }),
  ].join('\n');
}
