import { expect, it } from 'vitest';
import { dayOneSource } from '../../server/moving/import/dayone/source.ts';
import type { Source } from '../../server/moving/import/draft.ts';
import { parseHashConfig } from '../../server/moving/import/firebase/auth-export.ts';
import { firebaseSource } from '../../server/moving/import/firebase/source.ts';
import { ghostSource } from '../../server/moving/import/ghost/source.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { mastodonSource } from '../../server/moving/import/mastodon/source.ts';
import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { hashConfig } from '../support/firebase-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordpressExport } from '../support/wordpress-export.ts';
import { zipOf } from '../support/zip.ts';

/*
 * What somebody of bad intent could hand an admin to import, for every source where it is possible. What belongs to one format
 * alone is tested beside it: entities of XML, aliases of YAML, check sums of LevelDB, redirects and names of hosts.
 */

const { at, write: writeAll } = temporaryFolder();

/** Writes a file. Returns its path. */
async function write(path: string, content: string | Buffer): Promise<string> {
  await writeAll({ [path]: content });
  return at(path);
}

const ghostOf = (tables: object) => JSON.stringify({ db: [{ data: tables }] });
const zipFile = (...entries: Parameters<typeof zipOf>[0]) => write('archive.zip', zipOf(entries));

async function readAll(source: Source): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of source.items()) items.push(item);
  return items;
}

/** Every source that reads a zip archive, in whichever place. */
const fromZip: Record<string, (zip: string) => Promise<Source>> = {
  Markdown: zip => markdownSource(zip, 'UTC'),
  Mastodon: mastodonSource,
  'Day One': zip => dayOneSource(zip, 'UTC'),
  'WordPress, its media': async media => {
    const files = [await write('export.xml', wordpressExport([{ id: 1, title: 'One' }]))];
    return await wordpressSource({ files, media, timeZone: 'UTC' });
  },
  'Ghost, its images': async images => {
    const file = await write('ghost.json', ghostOf({ posts: [{ id: '1', slug: 'one', title: 'One' }] }));
    return await ghostSource({ file, images });
  },
};

it.each(Object.entries(fromZip))(
  'an archive with a path that leads out of it is refused by %s',
  async (_, open) => {
    const zip = await zipFile(
      { name: 'a.md', bytes: Buffer.from('x') },
      { name: '../evil.md', bytes: Buffer.from('x') },
    );
    await expect(open(zip)).rejects.toThrow('The archive cannot be read');
  },
);

const mebibytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'a');

it('a text that unpacks to more than any has is refused in an import of Markdown, and the other files are imported', async () => {
  const zip = await zipFile(
    { name: 'bomb.md', bytes: mebibytes(80) },
    { name: 'liar.md', bytes: mebibytes(8), claimedSize: 100 },
    { name: 'post.md', bytes: Buffer.from('Words.') },
    // What is packed in the archive is never unpacked itself.
    { name: 'inner.zip', bytes: zipOf([{ name: 'inner.md', bytes: Buffer.from('Words.') }]) },
  );
  const items = (await readAll(await markdownSource(zip, 'UTC'))) as { kind: string; id: string }[];
  expect(items.map(({ kind, id }) => [kind, id])).toEqual([
    ['refused', 'bomb.md'],
    ['refused', 'liar.md'],
    ['post', 'post.md'],
  ]);
});

it.each([
  ['Mastodon', mastodonSource, 'outbox.json', '{"orderedItems": ["'],
  ['Day One', (zip: string) => dayOneSource(zip, 'UTC'), 'Journal.json', '{"entries": [{"text": "'],
] as const)(
  'a text that unpacks to more than any has is refused by %s, whatever the archive says of its size',
  async (_, open, name, beginning) => {
    const bytes = Buffer.concat([Buffer.from(beginning), mebibytes(80)]);
    await expect(open(await zipFile({ name, bytes }))).rejects.toThrow('larger than 64 MB');
    await expect(open(await zipFile({ name, bytes, claimedSize: 100 }))).rejects.toThrow('cannot be read');
  },
);

it.each([
  ['Ghost, in a post', '{"db": [{"data": {"posts": [{"title": "'],
  ['Ghost, beside the posts', '{"db": [{"data": {"posts": [], "sessions": [{"data": "'],
])('a record that is larger than any is refused by %s', async (_, beginning) => {
  const file = await write('ghost.json', Buffer.concat([Buffer.from(beginning), mebibytes(80)]));
  await expect(ghostSource({ file })).rejects.toThrow('larger than 64 MB');
});

it('a table of Ghost that is not read may be of any length', async () => {
  const email = `{"html": "${'x'.repeat(1024 * 1024)}"},`;
  const posts = '"posts": [{"id": "1", "slug": "one", "title": "One"}]';
  const text = `{"db": [{"data": {"emails": [${email.repeat(70).slice(0, -1)}], ${posts}}}]}`;
  const items = await readAll(await ghostSource({ file: await write('ghost.json', Buffer.from(text)) }));
  expect(items).toHaveLength(1);
});

it.each([
  ['a dump of nested collections', 'dump.json', '{"__collections__": {"posts": {"1": {"content": "', '64 MB'],
  ['a dump of collections', 'dump.json', '{"posts": {"1": {"content": "', '64 MB'],
  ['lines', 'dump.ndjson', '{"path": "posts/1", "data": {"content": "', 'larger than any document'],
  ['the list of accounts', 'accounts.json', '{"users": [{"localId": "', '64 MB'],
])('a record that is larger than any is refused by Firebase in %s', async (_, name, beginning, reason) => {
  await write(`project/${name}`, Buffer.concat([Buffer.from(beginning), mebibytes(80)]));
  const project = firebaseSource({
    folder: at('project'),
    parameters: parseHashConfig(hashConfig),
  });
  await expect(project).rejects.toThrow(reason);
});

it('a record that is larger than any is refused in the lists of people from WordPress and Ghost', async () => {
  const files = [await write('export.xml', wordpressExport([]))];
  const line = Buffer.concat([Buffer.from('"'), mebibytes(3)]);
  const list = (head: string) => write('people.csv', Buffer.concat([Buffer.from(`${head}\n`), line]));
  const users = await list('user_login,user_email');
  await expect(wordpressSource({ files, users, timeZone: 'UTC' })).rejects.toThrow('is no list of');
  const file = await write('ghost.json', ghostOf({ posts: [{ id: '1', slug: 'one' }] }));
  await expect(ghostSource({ file, members: await list('id,email') })).rejects.toThrow('is no list of');
});
