import { TOTP } from 'otpauth';
import type { Input, OperationName } from '../../contract/operations.ts';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { setFace } from '../../server/accounts/profile/face.ts';
import { signInMethod } from '../../server/accounts/sign-in/insert.ts';
import { Authenticator } from '../support/authenticator.ts';
import { essay, shortPost } from '../support/factories.ts';
import { linkFor } from '../support/invitations.ts';
import { pushKeysOfBrowser } from '../support/push-keys.ts';
import type { Person, Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { endOpenTransfers, insertTransfer, insertWebhook, propose } from './held-rights-rows.ts';

export type Actor = NonNullable<Person> & { token: string };

export type Scene = {
  s: Site;
  actor: Actor;
  bystander: string;
  postId: string;
  commentId: string;
  /** A comment of somebody else. */
  otherCommentId: string;
  tagId: string;
  invitationId: string;
  passkeyId: string;
  authenticator: Authenticator;
  exportId: string;
};

/** Another listed tag, added once. */
async function otherTag({ call, admin }: Site): Promise<string> {
  const by = await admin();
  const { tags } = await call(by, 'getManagedTags', {});
  const known = tags.find(({ name }) => name === 'another');
  return known?.id ?? (await call(by, 'addTag', { name: 'another' })).tag.id;
}

const retag = (postId: string, tagId: string) => ({
  postIds: [postId],
  addedTagIds: [tagId],
  removedTagIds: [],
});

export const password = 'quincey1';
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQCXcEAAFHALWQwYNgAAAAAElFTkSuQmCC';

/**
 * An input with which each operation changes something; null for those that check no rights. A new operation
 * has to be here.
 */
export const inputs: {
  [Name in OperationName]: null | ((scene: Scene) => Input<Name> | Promise<Input<Name>>);
} = {
  getViewer: () => ({}),
  getSettings: () => ({}),
  getTags: () => ({}),
  getPosts: () => ({}),
  getPages: () => ({}),
  getPost: ({ postId }) => ({ postId }),
  getArchive: () => ({}),
  getNeighbours: ({ postId }) => ({ postId }),
  getReadingSettings: () => ({}),
  setReadingSettings: () => ({ showsPast: true }),
  getOnThisDay: () => ({}),
  noteOpened: ({ postId }) => ({ postIds: [postId] }),
  getReadingMarks: ({ postId }) => ({ postIds: [postId] }),
  getKeptPosts: ({ postId }) => ({ postIds: [postId] }),
  forgetOpened: () => ({}),
  countOpening: ({ postId }) => ({ postId }),
  getOpenings: ({ postId }) => ({ postIds: [postId] }),
  getAccount: () => ({}),
  confirmPassword: () => ({ currentPassword: password }),
  changeName: () => ({ name: 'Another Name' }),
  setFace: () => ({ picture: onePixel }),
  changePassword: () => ({ currentPassword: password, newPassword: 'another1' }),
  changeEmail: () => ({ email: 'another@example.com' }),
  sendConfirmation: () => ({}),
  endSession: async ({ s, actor }) => {
    const { id: sessionId } = await s.deps.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', actor.id)
      .executeTakeFirstOrThrow();
    return { sessionId };
  },
  signOutEverywhere: () => ({}),
  exportAccount: () => ({}),
  deleteAccount: () => ({ comments: 'delete' }),
  getLikedPosts: () => ({}),
  getOwnComments: () => ({}),
  describeAudience: () => ({ tags: [] }),
  listReaders: () => ({ tags: [] }),
  previewPostTags: () => ({ tags: [], seenTags: [] }),
  previewDefaultTags: () => ({ tags: [] }),
  previewNewMember: () => ({ tags: [] }),
  createInvitations: () => ({ tags: ['friends'], for: { uses: 2 } }),
  listInvitations: () => ({}),
  setInvitationTags: ({ invitationId }) => ({ invitationId, tags: ['friends'] }),
  revokeInvitation: ({ invitationId }) => ({ invitationId }),
  listOwnProposals: () => ({}),
  proposePerson: () => ({ email: 'late@example.org', name: 'Too Late' }),
  withdrawProposal: async ({ s, actor }) => ({ email: (await propose(s, actor.id)).email }),
  listProposals: () => ({}),
  acceptProposal: async ({ s, bystander }) => ({ ...(await propose(s, bystander)), tags: ['friends'] }),
  declineProposal: async ({ s, bystander }) => await propose(s, bystander),
  getInvitation: null,
  acceptInvitation: async ({ s }) => {
    await otherTag(s);
    return { token: (await linkFor(s, await s.admin(), 1, ['another'])).token };
  },
  joinByInvitation: null,
  requestSignInLink: null,
  getSignInLink: null,
  signInByLink: null,
  previewApprovedTags: ({ bystander }) => ({ userId: bystander, tags: [] }),
  listComments: ({ postId }) => ({ postId }),
  addComment: ({ postId }) => ({ postId, content: 'too late' }),
  editComment: ({ commentId }) => ({ commentId, content: 'too late' }),
  deleteComment: ({ commentId }) => ({ commentId }),
  reportComment: ({ otherCommentId }) => ({ commentId: otherCommentId, word: 'too late' }),
  askForPost: ({ postId }) => ({ postId, word: 'too late' }),
  getOwnRequest: ({ postId }) => ({ postId }),
  withdrawRequest: ({ postId }) => ({ postId }),
  listAccessRequests: () => ({}),
  answerAccessRequest: async ({ s, actor }) => {
    const { post } = await s.call(actor, 'createPost', essay({ tags: ['friends'] }));
    const { id: userId } = await s.member();
    const request = { post_id: post.id, user_id: userId, word: '', created_at: s.deps.clock() };
    await s.deps.db.insertInto('access_requests').values(request).execute();
    return { postId: post.id, userId, isGranted: true, tags: ['friends'] };
  },
  listReportedComments: () => ({ list: 'reported' }),
  hideComment: ({ commentId }) => ({ commentId, reason: 'too late' }),
  restoreComment: ({ commentId }) => ({ commentId }),
  dismissReports: ({ commentId }) => ({ commentId }),
  setCommentsClosed: ({ postId }) => ({ postId, isClosed: true }),
  checkMailDns: () => ({}),
  getMailState: () => ({}),
  getBackupState: () => ({}),
  getSystemState: () => ({}),
  requestBackup: () => ({}),
  getHistory: () => ({}),
  sendTestMail: () => ({}),
  getWebhooks: () => ({}),
  addWebhook: () => ({ name: 'late', format: 'json', url: 'http://127.0.0.1:1/', events: ['post'] }),
  testWebhook: async ({ s }) => ({ webhookId: await insertWebhook(s) }),
  removeWebhook: async ({ s }) => ({ webhookId: await insertWebhook(s) }),
  listPosts: () => ({}),
  search: () => ({ q: 'text' }),
  listLikes: ({ postId }) => ({ postId }),
  describeLink: () => ({ url: 'http://127.0.0.1:1/' }),
  previewPost: () => ({ content: 'text' }),
  createPost: () => shortPost('too late'),
  updatePost: ({ postId }) => ({ ...essay({ content: 'too late' }), postId }),
  setPinned: ({ postId }) => ({ postId, isPinned: true }),
  deletePost: ({ postId }) => ({ postId }),
  setLike: ({ postId }) => ({ postId, liked: true }),
  getFirstSteps: () => ({}),
  leaveOutFirstStep: () => ({ step: 'care' }),
  getSiteSettings: () => ({}),
  saveSiteSettings: () => ({ values: { title: 'too late' }, version: 0 }),
  uploadSitePicture: () => ({ kind: 'icon', bytes: onePixel }),
  undoSiteSettings: () => ({ version: 1 }),
  saveAbout: () => ({ content: 'too late' }),
  getDefaultTags: () => ({}),
  getNewPostTags: () => ({}),
  setDefaultTags: () => ({ tags: ['friends'] }),
  getSubscription: () => ({}),
  setSubscription: () => ({ subscribed: true }),
  getPersonalFeed: () => ({}),
  makePersonalFeed: () => ({}),
  endPersonalFeed: () => ({}),
  getPush: () => ({}),
  startPush: ({ actor }) => ({
    endpoint: `https://push.invalid/${actor.id}`,
    keys: pushKeysOfBrowser,
  }),
  stopPush: () => ({}),
  getPostAddress: () => ({}),
  makePostAddress: () => ({ publishes: false }),
  endPostAddress: () => ({}),
  getMailWishes: () => ({}),
  setMailWish: () => ({ kind: 'followed', isOn: true }),
  getManagedTags: () => ({}),
  getTransfers: () => ({}),
  getTransferReport: ({ exportId }) => ({ transferId: exportId }),
  checkImport: async ({ s, actor }) => {
    await endOpenTransfers(s);
    const { url } = await upload(s, actor, `posts/imports/${actor.id}.zip`, 'PK');
    return { source: 'markdown', files: [{ slot: 'archive', url }] };
  },
  startExport: async ({ s }) => {
    await endOpenTransfers(s);
    return { format: 'archive' };
  },
  startImport: async ({ s }) => {
    await endOpenTransfers(s);
    return { transferId: await insertTransfer(s, { kind: 'import', what: 'ghost', state: 'checked' }) };
  },
  openExport: ({ exportId }) => ({ transferId: exportId }),
  endTransfer: ({ exportId }) => ({ transferId: exportId }),
  addTag: ({ actor }) => ({ name: `late ${actor.username}` }),
  renameTag: ({ tagId }) => ({ tagId, name: `late ${tagId}` }),
  deleteTag: ({ tagId }) => ({ tagId }),
  previewTagMerge: async ({ s, tagId }) => ({ tagId, intoId: await otherTag(s) }),
  mergeTag: async ({ s, actor, tagId }) => {
    const merge = { tagId, intoId: await otherTag(s) };
    return { ...merge, seen: await s.call(actor, 'previewTagMerge', merge) };
  },
  previewRetag: async ({ s, postId }) => retag(postId, await otherTag(s)),
  retagPosts: async ({ s, actor, postId }) => {
    const change = retag(postId, await otherTag(s));
    return { ...change, seen: (await s.call(actor, 'previewRetag', change)).effect };
  },
  listAccessTokens: () => ({}),
  createAccessToken: () => ({ name: 'late' }),
  revokeAccessToken: async ({ s, actor }) => ({
    tokenId: (await s.call(actor, 'listAccessTokens', {})).tokens[0]?.id ?? '',
  }),
  getSecondFactor: () => ({}),
  getAdminFactor: () => ({}),
  setAdminFactor: () => ({ isRequired: false }),
  requestSecondFactor: () => ({}),
  turnOnSecondFactor: async ({ s, actor }) => {
    const { secret } = await s.call(actor, 'requestSecondFactor', {});
    return { secret, code: new TOTP({ secret }).generate({ timestamp: s.deps.clock() }) };
  },
  renewRecoveryCodes: () => ({}),
  turnOffSecondFactor: () => ({}),
  signInWithCode: null,
  listPasskeys: () => ({}),
  requestPasskey: () => ({}),
  addPasskey: async ({ s, actor, authenticator }) => ({
    name: 'late',
    passkey: new Authenticator(authenticator.origin).make(await s.call(actor, 'requestPasskey', {})),
  }),
  renamePasskey: ({ passkeyId }) => ({ passkeyId, name: 'late' }),
  confirmWithPasskey: async ({ s, actor, authenticator }) => ({
    signed: authenticator.sign(await s.call(actor, 'requestSignature', {})),
  }),
  removePasskey: ({ passkeyId }) => ({ passkeyId }),
  // It changes nothing, and each answer is another.
  requestSignature: null,
  signInWithPasskey: null,
  getUsers: () => ({ list: 'approved' }),
  approveUser: ({ bystander }) => ({ userId: bystander, tags: ['friends'] }),
  denyUser: ({ bystander }) => ({ userId: bystander }),
  decideUsers: ({ bystander }) => ({
    decisions: [{ userId: bystander, decision: 'approve', tags: ['friends'] }],
  }),
  undoDecision: async ({ s, bystander }) => {
    await denyUser(s.deps, bystander);
    return { userId: bystander };
  },
  setApprovedTags: ({ bystander }) => ({ userId: bystander, tags: ['friends'] }),
  setAdmin: ({ actor }) => ({ userId: actor.id, isAdmin: true }),
  setAuthor: ({ bystander }) => ({ userId: bystander, isAuthor: true }),
  setMuted: ({ bystander }) => ({ userId: bystander, isMuted: true }),
  removeFace: async ({ s, bystander }) => {
    await setFace(s.deps, bystander, onePixel);
    return { userId: bystander };
  },
  disconnectOpenid: () => ({}),
  // It changes nothing: rights are checked when the browser comes back (openid-connection.test.ts).
  connectOpenid: null,
  confirmEmail: null,
  getEmailLink: null,
  getResetLink: null,
  requestPasswordReset: null,
  resetPassword: null,
  signUp: null,
  getSignUpTicket: null,
  signIn: null,
  signOut: null,
  getSetup: null,
  setUpSite: null,
};

/** An account that has a password, a token and rights of its own, and things that it may do something to. */
export async function openScene(s: Site, admin: Person, isAdmin: boolean, hash: string): Promise<Scene> {
  const { deps } = s;
  // Addresses for posts by mail are offered only where mail is taken.
  deps.config.mailReplyAddress = 'reply+{}@blog.example';
  const person = isAdmin ? await s.admin() : await s.member(['friends']);
  const method = signInMethod({ userId: person.id, passwordHash: hash, createdAt: Date.now() });
  await deps.db.insertInto('sign_in_methods').values(method).execute();
  const { token } = await s.makeToken(person, 'program');
  const { post } = await s.call(admin, 'createPost', essay({ tags: ['friends'] }));
  const { comment } = await s.call(person, 'addComment', { postId: post.id, content: 'early' });
  const other = (await s.call(admin, 'addComment', { postId: post.id, content: 'earlier' })).comment;
  const { tag } = await s.call(admin, 'addTag', { name: `tag of ${person.username}` });
  const authenticator = new Authenticator(new URL(s.config.publicUrl).origin);
  const passkey = authenticator.make(await s.call(person, 'requestPasskey', {}));
  const { passkeys } = await s.call(person, 'addPasskey', { name: 'early', passkey });
  const exportId = await insertTransfer(s, {
    kind: 'export',
    what: 'archive',
    state: 'done',
    made: JSON.stringify({ name: 'site.tar', size: 10, posts: 0, files: 0, missing: 0 }),
    made_key: 'made',
    ended_at: deps.clock(),
  });
  const { made } = await s.call(admin, 'createInvitations', { tags: [], for: { uses: 1 } });
  return {
    s,
    actor: { ...person, token },
    bystander: (await s.member()).id,
    postId: post.id,
    commentId: comment.id,
    otherCommentId: other.id,
    tagId: tag.id,
    invitationId: made[0]?.invitation.id ?? '',
    passkeyId: passkeys[0]?.id ?? '',
    authenticator,
    exportId,
  };
}
