import { objectPath } from '../../support/multipart.ts';
import { newestSession } from '../model/caller.ts';
import { nextHour } from '../model/new-post-mails.ts';
import { viewerOf } from '../model/rule.ts';
import { aboutAt, renamedAt, type SiteDeed, webhookAt } from '../model/site-acts.ts';
import { existing, type World } from '../model/world.ts';
import { callOf, headersOf, resultOf } from '../wire.ts';
import { callBy, namesOfTags, type Requests, type Sending } from './request.ts';
import { uploadOf } from './uploads.ts';

/** The requests of tags, subscriptions, the About text, and whole files. */
export const siteRequests: Requests<SiteDeed> = {
  setDefaults: (sending, { tags }) =>
    callBy(sending, 'setDefaultTags', { tags: namesOfTags(sending.world, tags) }),
  addTag: (sending, { tag }) => callBy(sending, 'addTag', { name: namesOfTags(sending.world, [tag])[0] }),
  renameTag: async (sending, { at, tag }) => {
    const tagId = await idOfTag(sending, tag);
    return tagId === undefined
      ? undefined
      : callBy(sending, 'renameTag', { tagId, name: renamedAt(tag, at) });
  },
  deleteTag: async (sending, { tag }) => {
    const tagId = await idOfTag(sending, tag);
    return tagId === undefined ? undefined : callBy(sending, 'deleteTag', { tagId });
  },
  mergeTag: async (sending, { tag, into }) => {
    const [tagId, intoId] = [await idOfTag(sending, tag), await idOfTag(sending, into)];
    const headers = headersOfAdmin(sending.world);
    if (tagId === undefined || intoId === undefined || headers === undefined) return undefined;
    // Both may be deleted, which is not one and the same.
    const merge = { tagId, intoId: intoId === tagId ? 'gone' : intoId };
    const shown = resultOf(
      await sending.wire.send(sending.process, callOf('previewTagMerge', merge, headers)),
    );
    return callBy(sending, 'mergeTag', { ...merge, seen: 'result' in shown ? shown.result : noEffect });
  },
  retagPosts: async (sending, { posts, add, remove }) => {
    const { world, wire, process } = sending;
    const headers = headersOfAdmin(world);
    const addedTagIds = await Promise.all(add.map(name => idOfTag(sending, name)));
    if (headers === undefined || !addedTagIds.every(id => id !== undefined)) return undefined;
    const postIds = posts.flatMap(name => world.posts[name]?.id ?? []);
    if (postIds.length === 0) return undefined;
    const preview = async (change: object) =>
      resultOf(await wire.send(process, callOf('previewRetag', { postIds, ...change }, headers)));
    const now = await preview({ addedTagIds: [], removedTagIds: [] });
    if (!('result' in now)) return undefined;
    // Those that the posts carry, deleted ones included.
    const { tags } = now.result as { tags: { id: string; name: string }[] };
    const words = remove.map(name => world.tags[name]?.word);
    const removedTagIds = tags.filter(({ name }) => words.includes(name)).map(({ id }) => id);
    const shown = await preview({ addedTagIds, removedTagIds });
    const seen = 'result' in shown ? (shown.result as { effect: object }).effect : noRetagEffect;
    return callBy(sending, 'retagPosts', { postIds, addedTagIds, removedTagIds, seen });
  },
  subscribe: (sending, { subscribed, rhythm, soon }) =>
    callBy(sending, 'setSubscription', {
      subscribed,
      ...(rhythm && { rhythm }),
      ...(soon && { hour: nextHour(sending.world.now) }),
    }),
  wish: (sending, { kind, isOn }) => callBy(sending, 'setMailWish', { kind, isOn }),
  saveAbout: (sending, { at }) => callBy(sending, 'saveAbout', { content: `About ${aboutAt(at)}.` }),
  saveSettings: (sending, { values, version = sending.world.settings.version }) =>
    callBy(sending, 'saveSiteSettings', { values, version }),
  addWebhook: (sending, { at }) =>
    callBy(sending, 'addWebhook', {
      name: webhookAt(at),
      format: 'json',
      // No webhook may be on this machine.
      url: `http://127.0.0.1:1/${at}`,
      events: ['post'],
    }),
  removeWebhook: (sending, { webhook }) => {
    const known = sending.world.webhooks[webhook];
    return known && callBy(sending, 'removeWebhook', { webhookId: known.id });
  },
  upload: async ({ headers }, step) => await uploadOf(step, headers),
  deleteFile: ({ world, headers }, { file }) => {
    const known = world.files[file];
    return known && { method: 'DELETE', path: objectPath(known.path), headers };
  },
  getDownload: ({ world, headers }, { file }) => {
    const known = world.files[file];
    return known && { path: objectPath(known.path), headers };
  },
};

/** The model does not know the server's ids of tags, so an admin looks them up. */
async function idOfTag({ world, wire, process }: Sending, name: string): Promise<string | undefined> {
  const headers = headersOfAdmin(world);
  const tag = world.tags[name];
  if (headers === undefined || tag === undefined) return undefined;
  const answer = resultOf(await wire.send(process, callOf('getManagedTags', {}, headers)));
  if ('refusal' in answer) return undefined;
  const { tags } = answer.result as { tags: { id: string; name: string }[] };
  // A deleted tag is in no list: an id of no tag is refused in the same way.
  return tags.find(each => each.name === tag.word)?.id ?? 'deleted';
}

/** Of an admin who is signed in. */
function headersOfAdmin(world: World): Record<string, string> | undefined {
  const admin = existing(world.accounts).find(
    account => viewerOf(world, account).role === 'admin' && newestSession(world, account.name)?.isOpen,
  );
  const session = admin && newestSession(world, admin.name)?.name;
  return session === undefined ? undefined : headersOf(world, { by: 'cookie', session });
}

/** In place of a preview that is refused, as its change is then. */
const noAudienceEffect = {
  visitors: { gained: 0, lost: 0 },
  members: { gained: 0, gaining: 0, lost: 0, losing: 0 },
};
const noEffect = { ...noAudienceEffect, invitations: 0 };
const noRetagEffect = { ...noAudienceEffect, untagged: { published: 0, drafts: 0 } };
