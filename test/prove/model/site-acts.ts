import { wordFor } from '../words.ts';
import { asAccount, asAdmin, replaceTags, withoutToken } from './accounts.ts';
import type { Acts } from './act.ts';
import { actor, credentialOf } from './caller.ts';
import { nextHour } from './new-post-mails.ts';
import { firstWordOfTag } from './post-words.ts';
import { holderOf, mayHave, wishesAnswer } from './rule.ts';
import { carriersOf, emailOf, existing, type StoredFile, tagWord, type World } from './world.ts';

export type SiteDeed =
  | 'setDefaults'
  | 'addTag'
  | 'renameTag'
  | 'deleteTag'
  | 'mergeTag'
  | 'retagPosts'
  | 'subscribe'
  | 'wish'
  | 'setReadingSettings'
  | 'saveAbout'
  | 'addWebhook'
  | 'removeWebhook'
  | 'saveSettings'
  | 'upload'
  | 'deleteFile'
  | 'getDownload';

const maxWebhooks = 20;

/** What deeds do to tags, settings, subscriptions and files. */
export const siteActs: Acts<SiteDeed> = {
  setDefaults: (world, { by, tags }) =>
    asAdmin(world, by, () => {
      if (tags.some(tag => world.tags[tag] === undefined)) return { refusal: 'invalid-argument' };
      world.defaults = [...new Set(tags)];
      return { result: { tags: world.defaults.map(tag => tagWord(world, tag)).sort() } };
    }),
  addTag: (world, { by, tag: name }) =>
    asAdmin(world, by, () => {
      const tag = world.tags[name];
      if (tag?.isListed) return { refusal: 'already-exists' };
      const isRestored = tag !== undefined;
      const word = tag?.word ?? firstWordOfTag(name);
      world.tags[name] = { ...tag, name, word, isListed: true };
      return { result: { tag: { name: word }, isRestored } };
    }),
  renameTag: (world, { by, tag: name, at }) =>
    asAdmin(world, by, () => {
      const tag = world.tags[name];
      if (!tag?.isListed) return { refusal: 'not-found' };
      tag.formerWords = [...(tag.formerWords ?? []), tag.word];
      tag.word = renamedAt(name, at);
      return { result: { tag: { name: tag.word } } };
    }),
  deleteTag: (world, { by, tag: name }) =>
    asAdmin(world, by, () => {
      const tag = world.tags[name];
      if (!tag?.isListed) return { refusal: 'not-found' };
      tag.isListed = false;
      for (const invitation of Object.values(world.invitations)) {
        invitation.tags = invitation.tags.filter(each => each !== name);
      }
      return { result: {} };
    }),
  mergeTag: (world, { by, tag: name, into }) =>
    asAdmin(world, by, () => {
      const [tag, other] = [world.tags[name], world.tags[into]];
      if (!tag?.isListed || !other?.isListed) return { refusal: 'not-found' };
      const merged = (tags: readonly string[]) => [...new Set(tags.map(one => (one === name ? into : one)))];
      for (const post of existing(world.posts)) {
        if (!post.tags.includes(name)) continue;
        post.tags = merged(post.tags);
        post.version += 1;
      }
      for (const account of existing(world.accounts)) {
        if (!account.tags.includes(name)) continue;
        replaceTags(account, merged(account.tags));
        // Other tags are a new decision.
        account.before = undefined;
      }
      for (const invitation of Object.values(world.invitations)) invitation.tags = merged(invitation.tags);
      world.defaults = world.defaults.filter(each => each !== name);
      tag.isListed = false;
      return { result: { tag: { name: other.word } } };
    }),
  retagPosts: (world, { by, posts, add, remove }) =>
    asAdmin(world, by, () => {
      if (add.some(name => !world.tags[name]?.isListed)) return { refusal: 'not-found' };
      const named = existing(world.posts).filter(({ name }) => posts.includes(name));
      const changed = named.filter(
        ({ tags }) => add.some(name => !tags.includes(name)) || remove.some(name => tags.includes(name)),
      );
      for (const post of changed) {
        post.tags = [...new Set([...post.tags, ...add])].filter(name => !remove.includes(name));
        post.version += 1;
      }
      return { result: { changed: changed.length } };
    }),
  subscribe: (world, { by, subscribed, rhythm, soon }) =>
    asAccount(world, by, account => {
      const hadDigest = account.isSubscribed && account.hasDigest === true;
      account.isSubscribed = subscribed;
      account.hasDigest = subscribed && (rhythm === undefined ? account.hasDigest : rhythm === 'daily');
      // What has waited for the digest comes at once.
      if (subscribed && hadDigest && !account.hasDigest)
        world.digests.push({ account: account.name, since: account.digestSince ?? 0, until: world.now });
      if (soon && subscribed) account.digestHour = nextHour(world.now);
      if (!subscribed) delete account.digestHour;
      if (account.hasDigest && !hadDigest) account.digestSince = world.now;
      return { result: { isSubscribed: subscribed, email: emailOf(account) } };
    }),
  wish: (world, { by, kind, isOn }) =>
    asAccount(world, by, account => {
      account.wishes = { ...account.wishes, [kind]: isOn };
      return wishesAnswer(world, account);
    }),
  setReadingSettings: (world, { by, showsPast }) =>
    asAccount(world, by, account => {
      account.showsPast = showsPast;
      return { result: { showsPast } };
    }),
  saveAbout: (world, { by, at }) =>
    asAdmin(world, by, () => {
      world.about = aboutAt(at);
      return { result: { about: { content: `About ${world.about}.` } } };
    }),
  addWebhook: (world, { by, at }, told) =>
    withoutToken(world, by, 'admin', () => {
      if (existing(world.webhooks).length >= maxWebhooks) return { refusal: 'failed-precondition' };
      const name = `h${at}`;
      const label = webhookAt(at);
      world.webhooks[name] = { name, id: told.id ?? '', label, isGone: false };
      return { result: { webhook: { name: label, deliveries: [] } } };
    }),
  removeWebhook: (world, { by, webhook }) =>
    withoutToken(world, by, 'admin', () => {
      const named = world.webhooks[webhook];
      if (named !== undefined) named.isGone = true;
      return { result: {} };
    }),
  saveSettings: (world, { by, values, version = world.settings.version }) =>
    asAdmin(world, by, () => {
      if (version !== world.settings.version) return { refusal: 'aborted' };
      const [before, now] = [settingsOf(world), { ...settingsOf(world), ...values }];
      if (JSON.stringify(before) !== JSON.stringify(now))
        world.settings = { version: version + 1, values: { ...world.settings.values, ...values } };
      return { result: { version: world.settings.version, values: now } };
    }),
  upload: (world, { by, at, isPicture }, told) => {
    const asking = actor(world, by, 'author');
    if ('refusal' in asking) return asking;
    const file = newFile(at, isPicture);
    world.files[file.name] = { ...file, id: told.id ?? '', uploader: asking.account };
    return { result: { name: file.path } };
  },
  deleteFile: (world, { by, file: name }) => {
    const asking = actor(world, by, 'author');
    if ('refusal' in asking) return asking;
    const file = world.files[name];
    if (file === undefined || file.isGone) return { refusal: 'not-found' };
    // An author deletes their own uploads, and does not learn of others.
    if (asking.viewer.role !== 'admin' && file.uploader !== asking.account) return { refusal: 'not-found' };
    if (carriersOf(world, name).length > 0) return { refusal: 'permission-denied' };
    file.isGone = true;
    return { result: {} };
  },
  getDownload: (world, { by, at, file: name }, told) => {
    const asking = actor(world, by, 'anyone');
    if ('refusal' in asking) return asking;
    const file = world.files[name];
    if (file === undefined || !mayHave(world, asking.viewer, file)) return { refusal: 'not-found' };
    const credential = asking.viewer.account === null ? undefined : credentialOf(world, by);
    const holder = credential === undefined ? null : holderOf(credential);
    const token = told.secret ?? '';
    world.downloads[`d${at}`] = { name: `d${at}`, file: name, holder, token, madeAt: world.now };
    return { result: { name: file.path } };
  },
};

/** The settings that histories change, as they hold. */
export const settingsOf = ({ settings }: World) => ({ ...initialSettings, ...settings.values });
const initialSettings = { namesAuthors: 'false', commentsCloseAfter: 'never' };

export const renamedAt = (tag: string, at: number) => wordFor(`tag ${tag} at ${at}`);
export const webhookAt = (at: number) => wordFor(`label of h${at}`);
export const aboutAt = (at: number) => wordFor(`about at ${at}`);

/** The file that step `at` uploads. */
export function newFile(at: number, isPicture: boolean): StoredFile {
  const name = `f${at}`;
  const word = wordFor(`name of ${name}`);
  const bytesWord = isPicture ? null : wordFor(`bytes of ${name}`);
  return {
    name,
    id: '',
    path: `posts/${word}.${isPicture ? 'png' : 'txt'}`,
    word,
    // One frame of an AMR sound is any 31 bytes after an 8 (RFC 4867).
    bytes: bytesWord && `#!AMR\n8${`What is in ${bytesWord}.`.padEnd(31)}`,
    bytesWord,
    uploader: null,
    isGone: false,
  };
}
