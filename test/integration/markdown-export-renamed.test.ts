import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportMarkdown } from '../../server/moving/archive/markdown-targets.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { describeEngines } from '../support/engines.ts';
import { contentOf, target } from '../support/exported-content.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { importAll } from '../support/imports.ts';

describeEngines(({ site }) => {
  it('an export as Markdown finds the posts of an earlier one in renamed folders, with comments and new words', async () => {
    const s = await site();
    const admin = await s.admin();
    const [, talked = '', edited = ''] = await publish(
      s,
      admin,
      essay({ title: 'On rivers' }),
      shortPost('Talked of.'),
      shortPost('Edited later.'),
    );
    for (const postId of [talked, edited]) await s.call(admin, 'addComment', { postId, content: 'Hello' });
    const older = await target();
    await exportMarkdown(s.deps, older);
    // Versions before this one named the folders of short posts by their ids.
    for (const name of await readdir(older)) {
      const id = name.endsWith('talked-of') ? talked : name.endsWith('edited-later') ? edited : undefined;
      if (id) await rename(join(older, name), join(older, `${name.slice(0, 10)}-${id}`));
    }
    const other = await site();
    await importAll(other.deps, await markdownSource(older, 'UTC'));
    await s.call(admin, 'updatePost', { ...shortPost('Other words.'), postId: edited });
    await s.call(admin, 'addComment', { postId: edited, content: 'Bye' });
    const newer = await target();
    await exportMarkdown(s.deps, newer);
    for (const isDryRun of [true, false]) {
      const items = await importAll(other.deps, await markdownSource(newer, 'UTC'), { isDryRun });
      expect(items.map(({ outcome }) => outcome).sort()).toEqual(['unchanged', 'updated', 'updated']);
    }
    expect((await contentOf(other)).posts.map(({ id, content }) => [id, content])).toEqual(
      (await contentOf(s)).posts.map(({ id, content }) => [id, content]),
    );
    expect((await contentOf(other)).comments.map(({ id, content }) => [id, content])).toEqual(
      (await contentOf(s)).comments.map(({ id, content }) => [id, content]),
    );
  });

  it('an export as Markdown whose folders have changed places with each other overwrites no post', async () => {
    const s = await site();
    const admin = await s.admin();
    await publish(s, admin, essay({ title: 'Rivers' }), essay({ title: 'Lakes' }));
    const older = await target();
    await exportMarkdown(s.deps, older);
    const other = await site();
    await importAll(other.deps, await markdownSource(older, 'UTC'));
    const before = await contentOf(other);
    const [one = '', two = ''] = (await readdir(older)).filter(name => /rivers|lakes/.test(name));
    for (const [from, to] of [
      [one, 'third'],
      [two, one],
      ['third', two],
    ] as const)
      await rename(join(older, from), join(older, to));
    const items = await importAll(other.deps, await markdownSource(older, 'UTC'));
    expect(items.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped']);
    expect(items[0]).toMatchObject({ reason: expect.stringContaining('another post under this name') });
    expect(await contentOf(other)).toEqual(before);
  });

  it('an export as Markdown is the source of an earlier one whose folders all had other names', async () => {
    const s = await site();
    const admin = await s.admin();
    const ids = await publish(s, admin, shortPost('Rivers.'), shortPost('Lakes.'));
    for (const postId of ids) await s.call(admin, 'addComment', { postId, content: 'Hello' });
    const older = await target();
    await exportMarkdown(s.deps, older);
    for (const name of await readdir(older)) await rename(join(older, name), join(older, `old-${name}`));
    const newer = await target();
    await exportMarkdown(s.deps, newer);
    const other = await site();
    await importAll(other.deps, await markdownSource(older, 'UTC'));
    const items = await importAll(other.deps, await markdownSource(newer, 'UTC'));
    expect(items.map(({ outcome }) => outcome)).toEqual(['updated', 'updated']);
    const { posts, comments } = await contentOf(other);
    expect([posts.map(({ id }) => id), comments.length]).toEqual([ids.sort(), 2]);
    const again = await importAll(other.deps, await markdownSource(newer, 'UTC'));
    expect(again.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
  });
});
