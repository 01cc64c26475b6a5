import { ahead } from '../ahead.ts';
import type { DraftItem, DraftPerson, Source, UnsureSource } from '../draft.ts';
import { openFileTree } from '../media/tree.ts';
import { orRefused } from '../refused.ts';
import { requireFile } from '../require-file.ts';
import { readUsers } from './people.ts';
import { readItem, type WpReading } from './post.ts';
import { readExports, readSite, type WpSite } from './site.ts';
import type { WxrItem, WxrOversized } from './wxr.ts';

type WordPressOptions = {
  /** Exports of one site: WordPress writes a large one as several files. */
  files: readonly string[];
  /** A copy of `wp-content/uploads`, a folder or a zip archive. */
  media?: string | undefined;
  /** The list of accounts that `wp user list` writes. */
  users?: string | undefined;
  /** The zone of times that the export gives in its site's local time. */
  timeZone: string;
};

/**
 * A WordPress site, from the files of Tools, Export. They are read twice: texts refer to files, posts and
 * accounts that come later. Throws not-found, and invalid-argument for a damaged export, before anything is
 * written.
 */
export async function wordpressSource({ files, media, users, timeZone }: WordPressOptions): Promise<Source> {
  for (const file of files) await requireFile(file);
  const site = await readSite(files);
  const people: DraftPerson[] = [];
  if (users !== undefined) {
    for await (const person of readUsers(users)) {
      people.push(person);
      site.authors.set(person.username, { id: person.id, name: person.name });
    }
  }
  const tree = media === undefined ? undefined : await openFileTree(media);
  return {
    name: `wordpress:${site.address || 'site'}`,
    unsure: site.address === '' ? unsureSite(files, { site, media: tree, timeZone }) : undefined,
    total: people.length + site.total,
    items: () => itemsOf(files, people, { site, media: tree, timeZone }),
    leftBehind: leftBehind(site, users),
    close: async () => await tree?.close(),
  };
}

/** An export that does not name its site. */
function unsureSite(files: readonly string[], reading: WpReading): UnsureSource {
  return {
    kind: 'wordpress',
    ids: [...new Set(reading.site.posts.values())].map(id => `posts/${id}`),
    posts: ids => itemsOf(files, [], reading, ids),
  };
}

/** How many posts are read and converted ahead: the worker has the next one at once. */
const postsAhead = 2;

/** All items, or the posts with these ids. */
async function* itemsOf(
  files: readonly string[],
  people: readonly DraftPerson[],
  reading: WpReading,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<DraftItem> {
  yield* people;
  for await (const { made } of ahead(partsOf(files, wanted), postsAhead, part => readPart(part, reading))) {
    const item = await made;
    if (item !== undefined) yield item;
  }
}

/** The items of these files that may be posts, or those with these ids. */
async function* partsOf(
  files: readonly string[],
  wanted: ReadonlySet<string> | undefined,
): AsyncGenerator<WxrItem | WxrOversized> {
  for await (const part of readExports(files)) {
    const isWanted = wanted === undefined || (part.kind === 'item' && wanted.has(`posts/${idOf(part)}`));
    if (isWanted && (part.kind === 'item' || part.kind === 'oversized')) yield part;
  }
}

async function readPart(part: WxrItem | WxrOversized, reading: WpReading): Promise<DraftItem | undefined> {
  const line = `line ${part.line}`;
  if (part.kind === 'oversized') return { kind: 'refused', id: line, reason: 'it is larger than any post' };
  const id = idOf(part);
  return await orRefused(id ? `posts/${id}` : line, () => readItem(part, reading));
}

const idOf = ({ fields }: WxrItem) => fields.get('wp:post_id')?.trim();

function leftBehind({ others }: WpSite, users: string | undefined): string[] {
  return [
    ...[...others].sort().map(([type, count]) => `Entries of the kind ${type} (${count})`),
    ...(users === undefined
      ? [
          'Accounts: without a list of them nobody signs in with their old password, and comments keep the names of their authors',
        ]
      : []),
    'Mail and network addresses of those who commented, ratings, and what plugins store',
    'Menus, widgets, themes and settings',
  ];
}
