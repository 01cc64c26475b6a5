import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { siteEnvironment } from '../processes/site-environment.ts';
import { describeEngines } from '../support/engines.ts';
import { png } from '../support/png.ts';
import { scratchFolder } from '../support/scratch.ts';
import type { Site } from '../support/site.ts';
import { type ExportedItem, wordpressExport, wordpressSite } from '../support/wordpress-export.ts';

/** Posts with a file of their own, one that they share, comments and a tag that stands for an audience. */
const posts = 12;
const pictureOf = (words: string) => Buffer.concat([png, Buffer.from(words)]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(scratchFolder(), 'coterie-kills-'));
  await mkdir(join(folder, 'media'));
  await writeFile(join(folder, 'media/shared.png'), pictureOf('shared'));
  const items = Array.from({ length: posts }, (_, index): ExportedItem => {
    const show = (name: string) => `<img src="${wordpressSite}/wp-content/uploads/${name}.png">`;
    return {
      id: index + 1,
      title: `Post ${index}`,
      content: `Words ${index}. ${show(`own-${index}`)} ${show('shared')}`,
      status: index % 2 === 0 ? 'publish' : 'private',
      link: `${wordpressSite}/post-${index}/`,
      comments: [{ id: 100 + 2 * index }, { id: 101 + 2 * index, parent: 100 + 2 * index }],
    };
  });
  for (let index = 0; index < posts; index += 1)
    await writeFile(join(folder, `media/own-${index}.png`), pictureOf(String(index)));
  await writeFile(join(folder, 'export.xml'), wordpressExport(items));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Imports into a site in another process, which is killed after so many items. Returns its reports. */
async function importUntil({ config }: Site, told: number): Promise<string[]> {
  const child = fork(
    join(inject('programs'), 'test-import.js'),
    [join(folder, 'export.xml'), join(folder, 'media'), String(told)],
    {
      env: siteEnvironment(config),
      execArgv: [],
    },
  );
  const items: string[] = [];
  child.on('message', item => items.push(String(item)));
  const [code, signal] = await once(child, 'exit');
  expect(told === Number.POSITIVE_INFINITY ? code : signal).toBe(
    told === Number.POSITIVE_INFINITY ? 0 : 'SIGKILL',
  );
  return items;
}

/** All that an import leaves, by names that two sites have in common. */
async function stateOf({ deps: { db } }: Site) {
  const rows = await db
    .selectFrom('posts')
    .innerJoin('imported', 'imported.target_id', 'posts.id')
    .select(['source', 'title', 'text', 'created_at', 'published_at', 'posts.version', 'comment_count'])
    .where('imported.kind', '=', 'post')
    .orderBy('source')
    .execute();
  const count = async (table: 'posts' | 'comments' | 'files' | 'post_files' | 'imported' | 'tags') =>
    (
      await db
        .selectFrom(table)
        .select(eb => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count;
  return {
    posts: rows,
    counts: {
      posts: await count('posts'),
      comments: await count('comments'),
      files: await count('files'),
      postFiles: await count('post_files'),
      imported: await count('imported'),
      tags: await count('tags'),
    },
    addresses: (await db.selectFrom('old_addresses').select('address').orderBy('address').execute()).map(
      row => row.address,
    ),
    files: await db.selectFrom('files').select(['digest', 'size']).orderBy('digest').execute(),
  };
}

describeEngines(({ site }) => {
  it('an import that is killed gives the same result as an uninterrupted one, once it is repeated', async () => {
    const whole = await site();
    expect(await importUntil(whole, Number.POSITIVE_INFINITY)).toHaveLength(posts);
    const killed = await site();
    // Each run first reports what was imported before; the item during which it was killed is imported again.
    for (const told of [1, 4, 5, 9]) await importUntil(killed, told);
    const last = await importUntil(killed, Number.POSITIVE_INFINITY);
    expect(last.filter(item => item.startsWith('unchanged')).length).toBeGreaterThanOrEqual(9);
    expect(last.filter(item => !/^(?:unchanged|created) /.test(item))).toEqual([]);
    expect(await stateOf(killed)).toEqual(await stateOf(whole));
    expect(await examine(killed.deps)).toEqual([]);
  });
});
