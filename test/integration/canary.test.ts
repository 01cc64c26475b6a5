import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Input, type OperationName, operations } from '../../contract/operations.ts';
import { removeStaged, stage, stagedPath } from '../../server/files/staging.ts';
import { emptyReport } from '../../server/import/report.ts';
import { builtPages } from '../built-pages.ts';
import { describeEngines } from '../engines.ts';
import { LiveStream } from '../live.ts';
import type { Person, Site } from '../site.ts';

/**
 * The canary matrix: every kind of viewer asks every surface for every post, and no answer may hold the unique words of
 * a post that the viewer may not read. A surface that this file does not know makes it fail.
 */

type Canary = { id: string; words: string[] };
type Scene = {
  site: Site;
  people: Record<string, Person>;
  posts: Record<string, Canary>;
  /** Words for admins alone, which stand in no post: about another account, and a tag that nothing carries. */
  managed: string[];
};

/** Which posts each kind of viewer may read, written out by hand. */
const readable: Record<string, string[]> = {
  visitor: ['open', 'default'],
  pending: ['open', 'default'],
  denied: ['open', 'default'],
  'member without tags': ['open', 'default'],
  'member with one tag': ['open', 'default', 'friends'],
  'member with both tags': ['open', 'default', 'friends', 'both'],
  // What they wrote, and what their tags let them read; of others not even that there are drafts.
  author: ['open', 'default', 'friends', 'own', 'ownDraft'],
  'former author': ['open', 'default', 'friends'],
  'denied author': ['open', 'default'],
  admin: ['open', 'default', 'friends', 'both', 'draft', 'own', 'ownDraft'],
};

const nowhere = { id: 'eA', rawId: 'eA', type: 'public-key' } as const;
const madeNowhere = { ...nowhere, response: { clientDataJSON: 'eA', attestationObject: 'eA' } };
const signedNowhere = {
  ...nowhere,
  response: { clientDataJSON: 'eA', authenticatorData: 'eA', signature: 'eA' },
};

/** Who has a visitor's rights. */
const withoutComments = new Set(['visitor', 'pending', 'denied', 'denied author']);

/** What is sent to each operation: for one post, or once when it names none. */
const inputs: { [Name in OperationName]: (postId: string) => Input<Name>[] } = {
  getViewer: () => [{}],
  getSettings: () => [{}],
  getTags: () => [{}],
  getPosts: () => [
    {},
    { page: 2 },
    { isAdmin: true },
    {
      defaultTags: ['friendsword', 'bothword'],
      currentUser: { isAdmin: true, isApproved: true, approvedTags: ['friendsword'] },
    },
    { filtTags: ['friendsword'] },
    { filtTags: ['bothword'] },
    { filtTags: ['draftword'] },
  ],
  getLikedPosts: () => [{}],
  getOwnComments: () => [{}],
  getSubscription: () => [{}],
  setSubscription: () => [{ subscribed: true }],
  getPost: postId => [{ postId }],
  listComments: postId => [{ postId }, { postId, after: 'zzzzzzzz.zz' }],
  addComment: postId => [{ postId, content: ' ' }],
  deleteComment: () => [{ commentId: 'nothing' }],
  listPosts: () => [{}, { filter: 'drafts' }, { search: 'contentbothq' }, { search: 'draftword' }],
  listLikes: postId => [{ postId }],
  previewPost: postId => [{ content: `![a](/files/${postId})` }],
  setLike: postId => [
    { postId, liked: true },
    { postId, liked: false },
  ],
  getSecondFactor: () => [{}],
  getAdminFactor: () => [{}],
  setAdminFactor: () => [{ isRequired: false }],
  requestSecondFactor: () => [{}],
  turnOnSecondFactor: () => [{ secret: 'A'.repeat(32), code: '000000' }],
  renewRecoveryCodes: () => [{}],
  turnOffSecondFactor: () => [{}],
  signInWithCode: () => [{ code: '000000' }],
  listPasskeys: () => [{}],
  requestPasskey: () => [{}],
  requestSignature: () => [{}],
  addPasskey: () => [{ name: 'x', passkey: madeNowhere }],
  renamePasskey: () => [{ passkeyId: 'nothing', name: 'x' }],
  removePasskey: () => [{ passkeyId: 'nothing' }],
  signInWithPasskey: () => [{ signed: signedNowhere }],
  confirmWithPasskey: () => [{ signed: signedNowhere }],
  listAccessTokens: () => [{}],
  createAccessToken: () => [{ name: '' }],
  revokeAccessToken: () => [{ tokenId: 'nothing' }],
  // These create or end something of the caller's own; what they answer holds no post. Refused inputs, so that the
  // scene stays as it is.
  signUp: () => [{ username: 'x', name: 'x', email: 'x', password: 'x' }],
  getSignUpTicket: () => [{}],
  getAccount: () => [{}],
  getMailState: () => [{}],
  getBackupState: () => [{}],
  getHistory: () => [{}, { person: 'bystander' }],
  exportAccount: () => [{}],
  sendTestMail: () => [{}],
  sendConfirmation: () => [{}],
  confirmPassword: () => [{ currentPassword: 'x' }],
  changeName: () => [{ name: 'A Name' }],
  requestPasswordReset: () => [{ email: 'nobody@example.com' }],
  // Refused inputs, so that nobody loses their session or account.
  changePassword: () => [{ currentPassword: 'x', newPassword: 'x' }],
  connectOpenid: () => [{}],
  disconnectOpenid: () => [{}],
  changeEmail: () => [{ email: 'x' }],
  getEmailLink: () => [{ token: 'x' }],
  confirmEmail: () => [{ token: 'x' }],
  resetPassword: () => [{ token: 'x', password: 'password' }],
  endSession: () => [{ sessionId: 'nothing' }],
  signOutEverywhere: () => [],
  deleteAccount: () => [],
  signIn: () => [{ email: 'x@example.com', password: 'x' }],
  signOut: () => [],
  getSetup: () => [{ token: 'x' }],
  setUpSite: () => [
    {
      token: 'x',
      account: { username: 'someone', name: 'Some One', email: 'x@example.com', password: 'password' },
    },
  ],
  createPost: () => [{ type: 'short', content: '', isDraft: false }],
  updatePost: postId => [{ postId, version: -1, type: 'short', content: 'changed', isDraft: true }],
  deletePost: () => [{ postId: 'nothing' }],
  describeAudience: () => [{ tags: [] }, { tags: ['friendsword', 'bothword'] }],
  previewPostTags: () => [{ tags: ['friendsword'], seenTags: ['bothword'] }],
  previewDefaultTags: () => [{ tags: [] }, { tags: ['friendsword'] }],
  previewApprovedTags: () => [{ userId: 'bystander', tags: [] }],
  previewNewMember: () => [{ tags: [] }, { tags: ['friendsword', 'bothword'] }],
  // Refused inputs, so that the scene stays as it is.
  createInvitations: () => [{ tags: ['friendsword'], for: [] }],
  listInvitations: () => [{}],
  setInvitationTags: () => [{ invitationId: 'nothing', tags: ['friendsword'] }],
  revokeInvitation: () => [{ invitationId: 'nothing' }],
  getInvitation: () => [{ token: 'x' }],
  joinByInvitation: () => [{ token: 'x', username: 'someone', name: 'Some One' }],
  requestSignInLink: () => [{ email: 'nobody@example.com' }],
  getSignInLink: () => [{ token: 'x' }],
  signInByLink: () => [{ token: 'x' }],
  getUsers: () => [{ list: 'approved' }, { list: 'pending' }, { list: 'approved', search: 'example' }],
  approveUser: () => [{ userId: 'bystander', tags: [] }],
  denyUser: () => [{ userId: 'nobody' }],
  decideUsers: () => [{ decisions: [{ userId: 'bystander', decision: 'approve', tags: [] }] }],
  undoDecision: () => [{ userId: 'bystander' }],
  setApprovedTags: () => [{ userId: 'bystander', tags: [] }],
  setAdmin: () => [{ userId: 'bystander', isAdmin: false }],
  setAuthor: () => [{ userId: 'bystander', isAuthor: false }],
  getManagedTags: () => [{}],
  addTag: () => [{ name: 'friendsword' }],
  renameTag: () => [{ tagId: 'nothing', name: 'friendsword' }],
  deleteTag: () => [{ tagId: 'nothing' }],
  saveAbout: () => [{ content: '' }],
  getDefaultTags: () => [{}],
  setDefaultTags: () => [{ tags: ['defaultword'] }],
  getTransfers: () => [{}],
  getTransferReport: () => [{ transferId: 'canaryimport' }],
  // Refused inputs, so that the scene stays as it is.
  checkImport: () => [{ source: 'markdown', files: [{ slot: 'archive', url: '/files/nothing' }] }],
  startImport: () => [{ transferId: 'nothing' }],
  startExport: () => [{ format: 'pdf' as 'archive' }],
  endTransfer: () => [{ transferId: 'nothing' }],
  openExport: () => [{ transferId: 'canaryexport' }],
};

/** Every address that a browser may ask for, per route of the application. */
const addresses: Record<string, (postId: string) => string[]> = {
  'GET /healthz': () => ['/healthz'],
  'GET /readyz': () => ['/readyz'],
  'GET /feed.xml': () => ['/feed.xml', '/feed.xml?tags=friendsword', '/feed.xml/'],
  'GET /feed': () => ['/feed'],
  'GET /rss.xml': () => ['/rss.xml'],
  'GET /manifest.webmanifest': () => ['/manifest.webmanifest'],
  'POST /api/:name': () => [],
  'POST /policy-reports': () => [],
  // GET shows the page; what it takes, reading-pages.test.ts asks.
  'POST /login': () => ['/login'],
  'POST /login/code': () => ['/login/code', '/login/code?failed=refused'],
  'POST /invite': () => ['/invite', '/invite?token=x'],
  'POST /signup': () => ['/signup', '/signup?failed=refused'],
  'POST /sign-in': () => ['/sign-in', '/sign-in?token=x'],
  'POST /unsubscribe': () => ['/unsubscribe', '/unsubscribe?token=x'],
  'GET /live': postId => [`/live?post=${postId}`, `/live?post=${postId}&post=nothing`, '/live'],
  'ALL /api/*': () => ['/api/getPosts', '/api/nothing'],
  // What files these find is asked by canary-files.test.ts.
  'GET /files/:id/:name?': postId => [`/files/${postId}`, `/files/${postId}/name.png`, '/files/nothing'],
  'GET /exports/:id': () => ['/exports/canaryexport', '/exports/nothing'],
  'GET /v0/b/:bucket/o/:path{.+}': postId => [
    `/v0/b/coterie/o/${postId}`,
    '/v0/b/coterie/o/posts%2Fx?alt=media',
  ],
  'PATCH /v0/b/:bucket/o/:path{.+}': () => [],
  'DELETE /v0/b/:bucket/o/:path{.+}': () => [],
  'GET /v0/b/:bucket/o': () => ['/v0/b/coterie/o', '/v0/b/coterie/o?prefix=posts/&delimiter=/'],
  'POST /v0/b/:bucket/o': () => [],
  'ALL /v0/*': postId => ['/v0', `/v0/b/coterie/${postId}`],
  'GET /api/openapi.json': () => ['/api/openapi.json'],
  'GET /api/docs': () => ['/api/docs'],
  'GET /api/docs/': () => ['/api/docs/'],
  'GET /api/docs.css': () => ['/api/docs.css'],
  'GET /*': postId => [
    '/',
    `/post/${postId}`,
    `/post/${postId}/`,
    `//post/${postId}`,
    `/POST/${postId}`,
    `/post/${postId}.json`,
    `/post/${postId}?tags=friendsword`,
    '/?tags=friendsword,bothword',
    '/login',
    `/login?next=/post/${postId}`,
    '/signup',
    '/forgot-password',
    '/reset-password?token=x',
    '/confirm?token=x',
    '/unsubscribe?token=x',
    '/account',
    '/admin/mail',
    '/admin/history?person=bystander',
    '/admin/backups',
    '/admin/import-export',
    '/setup?token=x',
    '/invite?token=x',
    '/sign-in?token=x',
    '/admin/invitations',
    '/admin',
    '/admin/tags',
    '/admin/',
    '//admin',
    '/ADMIN',
    '/admin%2f',
    '/%61dmin',
    '/admin;x',
    '/login/../admin',
    '/admin/posts',
    `/admin/posts/${postId}/edit`,
    '/tags/friendsword',
    '/tags/bothword',
    '/profile',
    '/feed',
    '/sitemap.xml',
    `/old/${postId}`,
    `/?p=${postId}`,
    '/robots.txt',
    '/metrics',
  ],
};

const essayOf = (word: string) => ({
  type: 'essay' as const,
  title: `title${word}q`,
  description: `description${word}q`,
  content: `content${word}q`,
});

async function openScene(site: Site): Promise<Scene> {
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
  // The comments of a post are for its approved readers alone (decisions.md 13).
  for (const [name, { id }] of Object.entries(posts)) {
    await site.call(admin, 'addComment', { postId: id, content: `comment${name}q` });
  }
  // A short post of each, because listings show its text.
  for (const name of ['friends', 'both']) {
    const word = `short${name}q`;
    await site.call(writerOf(name), 'createPost', {
      type: 'short',
      content: word,
      tags: shapes[name as 'friends'],
      isDraft: false,
    });
    posts[name]?.words.push(word);
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
  await site.deps.db
    .updateTable('users')
    .set({ name: 'bystandername', email: 'bystandermail@example.com' })
    .where('id', '=', bystander.id)
    .execute();
  await site.call(admin, 'addTag', { name: 'barewordtag' });
  await insertTransfers(site);
  const newcomer = await site.signUp('newcomer');
  await site.deps.db
    .updateTable('users')
    .set({ introduction: 'introductionword' })
    .where('id', '=', newcomer.id)
    .execute();
  return {
    site,
    posts,
    managed: [
      'bystandername',
      'bystandermail',
      'barewordtag',
      'introductionword',
      'importword',
      'exportword',
    ],
    people: {
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
    },
  };
}

/** An import with a report, and an export whose bytes are there. */
async function insertTransfers({ deps }: Site): Promise<void> {
  const row = { is_dry_run: false, files: '[]', user_id: null, created_at: 0, ended_at: deps.clock() };
  const report = emptyReport(false, ['importword']);
  const staged = await stage(deps.config, 'canary', Readable.from([Buffer.from('exportword')]), {
    maxBytes: 99,
  });
  await deps.files.put('canarymade', stagedPath(deps.config, staged.id));
  await removeStaged(deps.config, staged.id);
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

/** Words of posts that the viewer may not read, less those that the request itself held. */
function leaks(
  scene: Pick<Scene, 'posts' | 'managed'>,
  viewer: string,
  asked: string,
  answer: string,
): string[] {
  const allowed = new Set(readable[viewer]);
  const mayReadComments = !withoutComments.has(viewer);
  const forbidden = Object.entries(scene.posts).flatMap(([name, canary]) => [
    ...(allowed.has(name) ? [] : canary.words),
    ...(allowed.has(name) && mayReadComments ? [] : [`comment${name}q`]),
  ]);
  return [...forbidden, ...(viewer === 'admin' ? [] : scene.managed)].filter(
    word => !asked.includes(word) && answer.includes(word),
  );
}

/** A stream stays open: it is read up to what it says on opening, one event for the viewer and one for each post. */
async function textOf(path: string, response: Response): Promise<string> {
  if (!path.startsWith('/live') || response.status !== 200) return await response.text();
  const stream = new LiveStream(response);
  const events = await stream.take(1 + path.split('post=').length - 1);
  await stream.close();
  return events.map(({ name, data }) => `event: ${name} ${JSON.stringify(data)}`).join('\n');
}

/** The same for everybody, whatever the site holds. */
const ofTheProgram = new Set(['/robots.txt', '/manifest.webmanifest']);

type Ask = { path: string; init: RequestInit; asked: string };

/** Every request of the matrix, once each: most surfaces name no post, and ask the same for all of them. */
function asksFor(posts: Scene['posts']): Ask[] {
  const asks = new Map<string, Ask>();
  const add = (ask: Ask) => asks.set(JSON.stringify(ask), ask);
  for (const { id } of Object.values(posts)) {
    for (const operation of Object.keys(inputs) as OperationName[]) {
      for (const input of inputs[operation](id)) {
        const body = JSON.stringify({ data: input });
        for (const accept of ['*/*', 'text/event-stream']) {
          const headers = { 'content-type': 'application/json', accept };
          add({ path: `/api/${operation}`, init: { method: 'POST', headers, body }, asked: body });
        }
      }
    }
    for (const path of Object.values(addresses).flatMap(list => list(id))) {
      for (const method of ['GET', 'HEAD']) add({ path, init: { method }, asked: path });
    }
  }
  return [...asks.values()];
}

describeEngines('the canary matrix', ({ site }) => {
  it('1, 2, 6, 9, 13, 14, 72. leaks nothing to anybody', async () => {
    const scene = await openScene(await site(await builtPages()));
    const found: string[] = [];
    const look = async (viewer: string, { path, init, asked }: Ask) => {
      const person = scene.people[viewer] ?? null;
      const response = await scene.site.request(path, person, { redirect: 'manual', ...init });
      const answer = `${await textOf(path, response)} ${JSON.stringify([...response.headers])}`;
      for (const word of leaks(scene, viewer, asked, answer))
        found.push(`${viewer}: ${path} ${asked} answered ${word}`);
      const cacheControl = response.headers.get('cache-control') ?? 'no-store';
      if (person !== null && /public/.test(cacheControl) && !ofTheProgram.has(path))
        found.push(`${viewer}: ${path} is public`);
      return { status: response.status, answer };
    };

    // What may be read is read: a matrix that sees nothing anywhere would prove nothing.
    for (const [viewer, names] of Object.entries(readable)) {
      for (const [name, { id, words }] of Object.entries(scene.posts)) {
        const isReadable = names.includes(name);
        const mayComment = isReadable && !withoutComments.has(viewer);
        const page = await look(viewer, { path: `/post/${id}`, init: {}, asked: '' });
        const live = await look(viewer, { path: `/live?post=${id}`, init: {}, asked: '' });
        const comments = await scene.site.request('/api/listComments', scene.people[viewer], {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ data: { postId: id } }),
        });
        expect({
          viewer,
          name,
          status: page.status,
          text: page.answer.includes(words[2] ?? ''),
          comments: (await comments.text()).includes(`comment${name}q`),
          live: live.answer.includes('event: state'),
        }).toEqual({
          viewer,
          name,
          status: isReadable ? 200 : name === 'draft' || name === 'ownDraft' ? 404 : 302,
          text: isReadable,
          comments: mayComment,
          live: mayComment,
        });
      }
    }
    // Everybody at once, as on a living site: also what one viewer's answer leaves in a cache is found this way.
    const asks = asksFor(scene.posts);
    const queue = asks.flatMap(ask => Object.keys(readable).map(viewer => ({ viewer, ask })));
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await look(next.viewer, next.ask);
      }
    };
    await Promise.all(Array.from({ length: 14 }, lane));
    expect(found).toEqual([]);
  });

  it('knows every operation and every route', async () => {
    const { app } = await site();
    expect(Object.keys(inputs).sort()).toEqual(Object.keys(operations).sort());
    const routes = app.routes
      .filter(route => route.handler.length < 2)
      .map(route => `${route.method} ${route.path}`);
    expect([...new Set(routes)].sort()).toEqual(Object.keys(addresses).sort());
  });
});

describe('the matrix itself', () => {
  it('sees a leak', () => {
    const scene = { posts: { both: { id: 'x', words: ['secretword'] } }, managed: ['elsewhere'] };
    expect(leaks(scene, 'visitor', '', 'an elsewhere there')).toEqual(['elsewhere']);
    expect(leaks(scene, 'admin', '', 'an elsewhere there')).toEqual([]);
    expect(leaks(scene, 'visitor', '', 'a secretword here')).toEqual(['secretword']);
    expect(leaks(scene, 'admin', '', 'a secretword here')).toEqual([]);
  });
});
