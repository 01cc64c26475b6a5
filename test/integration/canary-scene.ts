import { stage, stagedPath } from '../../server/files/uploads/staging.ts';
import { emptyReport } from '../../server/moving/import/report.ts';
import { insertUser } from '../support/people.ts';
import { changeUser } from '../support/rows.ts';
import type { Person, Site } from '../support/site.ts';

type Canary = { id: string; words: string[] };

export type Scene = {
  site: Site;
  people: Record<string, Person>;
  /** The ids of those who wrote posts that others read. */
  writers: string[];
  posts: Record<string, Canary>;
  /**
   * Words for admins alone, which stand in no post: about another account, and a tag that nothing carries.
   */
  managed: string[];
};

const essayOf = (word: string) => ({
  type: 'essay' as const,
  title: `title${word}q`,
  description: `description${word}q`,
  content: `content${word}q`,
});

/** The posts beside which stands one of an earlier year, closed to the same viewers. */
export const pastPosts = ['open', 'friends', 'both'] as const;

/** A site with people of every kind, and posts each of which only some of them may read. */
export async function openScene(site: Site): Promise<Scene> {
  const admin = await site.admin();
  await site.setDefaultTags(['defaultword']);
  const posts: Record<string, Canary> = {};
  const shapes = {
    open: [],
    default: ['defaultword'],
    friends: ['friendsword'],
    both: ['friendsword', 'bothword'],
    draft: ['draftword'],
    // An author's own, with a tag that was taken from them since.
    own: ['ownword'],
    ownDraft: ['ownword'],
  };
  // Each name is a word of its author's posts: nobody learns it who may read none of them.
  const author = await site.member(['friendsword', 'ownword'], 'ownauthorq');
  const other = await site.member(['friendsword', 'bothword'], 'bothauthorq');
  for (const { id } of [author, other]) await site.call(admin, 'setAuthor', { userId: id, isAuthor: true });
  const writerOf = (name: string) => (name.startsWith('own') ? author : name === 'both' ? other : admin);
  const isDraft = (name: string) => name === 'draft' || name === 'ownDraft';
  for (const [name, tags] of Object.entries(shapes)) {
    const words = [`title${name}q`, `description${name}q`, `content${name}q`];
    const { post } = await site.call(writerOf(name), 'createPost', {
      type: 'essay',
      title: words[0] ?? '',
      description: words[1] ?? '',
      content: words[2] ?? '',
      tags,
      isDraft: isDraft(name),
    });
    // The id counts too, but stands in the address that was asked for.
    posts[name] = { id: post.id, words };
  }
  // The addresses that they had elsewhere, each of which leads to a word of its post.
  for (const { id } of Object.values(posts)) {
    await site.deps.db
      .insertInto('old_addresses')
      .values({ address: `/old/${id}`, post_id: id })
      .execute();
  }
  // The comments of a post are for its approved readers alone (decision 13).
  for (const [name, { id }] of Object.entries(posts)) {
    await site.call(admin, 'addComment', { postId: id, content: `comment${name}q` });
  }
  // A short post of each, because listings show its text, and a page, to which every screen links.
  for (const name of ['friends', 'both']) {
    const word = `short${name}q`;
    await site.call(writerOf(name), 'createPost', {
      type: 'short',
      content: word,
      tags: shapes[name as 'friends'],
      isDraft: false,
    });
    await site.call(writerOf(name), 'createPost', {
      ...essayOf(`page${name}`),
      tags: shapes[name as 'friends'],
      isDraft: false,
      shownIn: 'navigation',
    });
    posts[name]?.words.push(word, `titlepage${name}q`, `contentpage${name}q`);
  }
  // Posts of this day in earlier years, each the only one of its year, for those who want to see them.
  for (const [index, name] of pastPosts.entries()) {
    const { post } = await site.call(writerOf(name), 'createPost', {
      ...essayOf(`past${name}`),
      tags: shapes[name],
      isDraft: false,
    });
    const published_at = Date.UTC(2025 - index, 0, 1, 12);
    await site.deps.db.updateTable('posts').set({ published_at }).where('id', '=', post.id).execute();
    posts[name]?.words.push(`titlepast${name}q`, `contentpast${name}q`);
  }
  posts.both?.words.push('bothword', 'bothauthorq');
  posts.friends?.words.push('friendsword');
  posts.draft?.words.push('draftword');
  posts.own?.words.push('ownword', 'ownauthorq');
  await site.call(admin, 'setApprovedTags', { userId: author.id, tags: ['friendsword'] });
  const formers: NonNullable<Person>[] = [];
  for (const name of ['ownDraft', 'own']) {
    const former = await site.member(['friendsword']);
    await site.call(admin, 'setAuthor', { userId: former.id, isAuthor: true });
    // What they wrote is a draft and closed to them by its tags, once they are no author any more.
    const { post } = await site.call(former, 'createPost', { ...essayOf(`former${name}`), isDraft: true });
    posts.draft?.words.push(post.title ?? '');
    formers.push(former);
  }
  const [former = author, deniedAuthor = author] = formers;
  await site.call(admin, 'setAuthor', { userId: former.id, isAuthor: false });
  await site.call(admin, 'denyUser', { userId: deniedAuthor.id });
  const bystander = await site.member([], 'bystander');
  await changeUser(site, bystander.id, { name: 'bystandername', email: 'bystandermail@example.com' });
  const pictured = { id: 'pictured', username: 'pictured', name: 'picturedname', image: 'x' };
  await insertUser(site.deps.db, pictured);
  const face = { user_id: pictured.id, picture: Buffer.from('faceword').toString('base64') };
  await site.deps.db.insertInto('faces').values(face).execute();
  await site.call(admin, 'addTag', { name: 'barewordtag' });
  await insertTransfers(site);
  const newcomer = await site.signUp('newcomer');
  await changeUser(site, newcomer.id, { introduction: 'introductionword' });
  const people = {
    visitor: null,
    pending: await site.signUp(),
    denied: await site.denied(),
    'member without tags': await site.member(),
    'member with one tag': await site.member(['friendsword']),
    'member with both tags': await site.member(['friendsword', 'bothword']),
    author,
    'former author': former,
    'denied author': deniedAuthor,
    admin,
  };
  const all = Object.values(people).filter(person => person !== null);
  const settings = all.map(({ id }) => ({ user_id: id, shows_past: true, keeps_opened: true }));
  await site.deps.db.insertInto('reading_settings').values(settings).execute();
  return {
    site,
    posts,
    people,
    writers: [author.id, other.id],
    managed: [
      'bystandername',
      'bystandermail',
      'picturedname',
      'faceword',
      'barewordtag',
      'introductionword',
      'importword',
      'exportword',
    ],
  };
}

/** An import with a report, and an export whose bytes are there. */
async function insertTransfers({ deps }: Site): Promise<void> {
  const row = { is_dry_run: false, files: '[]', user_id: null, created_at: 0, ended_at: deps.clock() };
  const report = emptyReport(false, ['importword']);
  await using staged = await stage(stagedPath(deps.config), [Buffer.from('exportword')], 99);
  await deps.files.put('canarymade', staged.path);
  const made = { name: 'exportword.tar', size: 10, posts: 0, files: 0, missing: 0 };
  await deps.db
    .insertInto('transfers')
    .values([
      {
        ...row,
        id: 'canaryimport',
        kind: 'import',
        what: 'ghost',
        state: 'done',
        report: JSON.stringify(report),
      },
      {
        ...row,
        id: 'canaryexport',
        kind: 'export',
        what: 'archive',
        state: 'done',
        made: JSON.stringify(made),
        made_key: 'canarymade',
      },
    ])
    .execute();
}
