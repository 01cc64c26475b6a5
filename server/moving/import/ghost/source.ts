import { AppError } from '../../../../contract/errors.ts';
import type { DraftItem, DraftPerson, Source } from '../draft.ts';
import { type FileTree, openFileTree } from '../media/tree.ts';
import { orRefused } from '../refused.ts';
import { requireFile } from '../require-file.ts';
import { readMembers, readStaff } from './people.ts';
import { readGhostPost } from './post.ts';
import { type GhostSite, readGhostSite, readPosts } from './tables.ts';

type GhostOptions = {
  /** The file of Settings, Import/Export. */
  file: string;
  /** A copy of Ghost's `content` folder or of its images, a folder or a zip archive. */
  images?: string | undefined;
  /** The file of Members, Export. */
  members?: string | undefined;
};

/**
 * A Ghost site. Its export is read twice, because posts come before what they refer to. Throws not-found and
 * invalid-argument.
 */
export async function ghostSource({ file, images, members }: GhostOptions): Promise<Source> {
  await requireFile(file);
  const site = await readGhostSite(file);
  if (site.total === 0) throw new AppError('not-found', `There is no export of Ghost with posts in ${file}.`);
  const people: DraftPerson[] = [...readStaff(site)];
  if (members !== undefined) for await (const member of readMembers(members, site)) people.push(member);
  const tree = images === undefined ? undefined : await openFileTree(images);
  return {
    name: `ghost:${site.title || 'site'}`,
    // Two sites may have one title, and before Ghost 1.0 ids were consecutive numbers.
    unsure: {
      kind: 'ghost',
      ids: [...site.slugs.values()].map(id => `posts/${id}`),
      posts: ids => postsOf(file, site, tree, ids),
    },
    total: people.length + site.total,
    items: () => itemsOf(file, people, site, tree),
    leftBehind: leftBehind(site, members),
    close: async () => await tree?.close(),
  };
}

async function* itemsOf(
  file: string,
  people: readonly DraftPerson[],
  site: GhostSite,
  tree: FileTree | undefined,
): AsyncGenerator<DraftItem> {
  yield* people;
  yield* postsOf(file, site, tree);
}

async function* postsOf(
  file: string,
  site: GhostSite,
  tree: FileTree | undefined,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<DraftItem> {
  for await (const post of readPosts(file)) {
    const id = `posts/${post.get('id')}`;
    if (wanted === undefined || wanted.has(id))
      yield await orRefused(id, () => readGhostPost(post, site, tree));
  }
}

function leftBehind({ tags, commentsOf }: GhostSite, members: string | undefined): string[] {
  const internal = [...tags.values()].filter(tag => tag.isInternal).length;
  return [
    ...(internal > 0 ? [`Internal tags (${internal}), which no reader saw`] : []),
    ...(commentsOf.size === 0 ? ['Comments: Ghost leaves them out of its export'] : []),
    ...(members === undefined
      ? ['Members: without their list (--members) only those who wrote there have accounts']
      : []),
    'Payments, newsletters, offers, recommendations and statistics',
    'Themes, code that was put into pages, redirects and routes',
  ];
}
