import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { Timestamp } from './firestore-export.ts';

/**
 * A project of the original, for tests of moving in: people of every state, posts that each of them reads
 * others of.
 */

const signerKey = randomBytes(64).toString('base64');
/** As Firebase's console shows it. */
export const hashConfig = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${signerKey},
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;

/** A password as Firebase keeps it (firebase/scrypt, README). */
export function hashed(password: string): { passwordHash: string; salt: string } {
  const salt = randomBytes(10);
  const key = scryptSync(password, Buffer.concat([salt, Buffer.of(7)]), 32, { N: 2 ** 14, r: 8, p: 1 });
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const hash = Buffer.concat([cipher.update(Buffer.from(signerKey, 'base64')), cipher.final()]);
  return { passwordHash: hash.toString('base64'), salt: salt.toString('base64') };
}

const at = (day: number) => new Timestamp(Date.UTC(2020, 0, day, 12, 0, 0, 7));
const bucket = 'https://firebasestorage.googleapis.com/v0/b/my-blog.appspot.com/o';
export const address = (path: string) => `${bucket}/${encodeURIComponent(path)}?alt=media&token=0a1b-2c`;

export const users: Record<string, Record<string, unknown>> = {
  uidOfTheAdmin00000000001: {
    username: 'mina',
    name: 'Mina Harker',
    isAdmin: true,
    isApproved: true,
    approvedTags: [],
  },
  uidOfAFriend0000000000002: { username: 'lucy', name: 'Lucy', isApproved: true, approvedTags: ['friends'] },
  uidOfTheFamily00000000003: {
    username: 'van helsing',
    name: 'V',
    isApproved: true,
    approvedTags: ['Family', 'friends'],
  },
  uidOfALowerCase0000000004: {
    username: 'renfield',
    name: 'R. M. Renfield',
    isApproved: true,
    approvedTags: ['family'],
  },
  uidOfThePending0000000005: {
    username: 'arthur',
    name: 'Arthur',
    isApproved: false,
    pendingApproval: true,
    approvedTags: ['friends'],
  },
  uidOfTheDenied00000000006: {
    username: 'dracula',
    name: 'Dracula',
    isApproved: false,
    pendingApproval: false,
    approvedTags: ['Family'],
    deniedAt: at(3),
  },
};
export const emailOf = (id: string) => `${String(users[id]?.username).replace(' ', '.')}@Example.com`;
export const passwordOf = (id: string) => `password of ${id}, longer than ours may be`;

const post = (fields: Record<string, unknown>) => ({
  type: 'essay',
  title: 'On rivers',
  description: 'Where they come from.',
  content: 'They come from the hills.',
  isDraft: false,
  likeCount: 0,
  commentCount: 0,
  authorId: 'uidOfTheAdmin00000000001',
  createdAt: at(10),
  tags: [],
  ...fields,
});
export const posts: Record<string, Record<string, unknown>> = {
  openPost00000000000a: post({ updatedAt: at(11) }),
  worldPost0000000000b: post({ tags: ['world'] }),
  friendsPost00000000c: post({
    type: 'short',
    title: null,
    description: null,
    content: 'For friends.',
    tags: ['friends'],
  }),
  familyPost000000000d: post({ tags: ['Family', 'friends'] }),
  lowerPost0000000000e: post({ tags: ['family'] }),
  emptyTagPost0000000f: post({ tags: [''] }),
  draftPost0000000000g: post({ isDraft: true }),
  undecidedPost000000h: post({ isDraft: null }),
  strangeTagsPost0000i: post({ tags: { 0: 'friends' } }),
  picturePost00000000j: post({
    tags: ['friends'],
    content: `![a river](${address('posts/170_river.png')}) and [Video: boat](${address('posts/171_boat.mp4')}), ![gone](${address('posts/172_gone.png')})`,
    attachments: [
      { name: 'r', url: address('posts/170_river.png'), type: 'image/png', size: 1, description: 'A river' },
    ],
  }),
};

export function documents(): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {
    'settings/defaultPermissions': { tags: ['world'] },
    'settings/about': { content: 'About *me*.' },
    'tags/t1': { name: 'friends' },
    'tags/t2': { name: 'unused' },
    'subscriptions/uidOfAFriend0000000000002': {
      userId: 'uidOfAFriend0000000000002',
      email: 'x',
      createdAt: at(2),
    },
    'posts/friendsPost00000000c/likes/l1': { userId: 'uidOfAFriend0000000000002', createdAt: at(12) },
    'posts/friendsPost00000000c/likes/l2': { userId: 'somebodyWhoIsGone', createdAt: at(12) },
    'posts/friendsPost00000000c/comments/commentOne0000000001': {
      content: 'Well said.',
      userId: 'uidOfAFriend0000000000002',
      createdAt: at(13),
    },
    'posts/friendsPost00000000c/comments/commentTwo0000000002': {
      content: 'x'.repeat(5_001),
      userId: 'gone',
      username: 'quincey',
      createdAt: at(14),
    },
    'visits/v1': { count: 3 },
  };
  for (const [id, fields] of Object.entries(users))
    found[`users/${id}`] = { id, email: emailOf(id), createdAt: at(1), approvedAt: at(2), ...fields };
  for (const [id, fields] of Object.entries(posts)) found[`posts/${id}`] = fields;
  return found;
}

/** Documents by path as one object, what lies below a document under `below`, as the tools write them. */
export function nestedBy(list: readonly [string, Record<string, unknown>][], below: string): object {
  const root: Nested = {};
  for (const [path, fields] of list.toSorted(([a], [b]) => a.split('/').length - b.split('/').length)) {
    const [collection = '', id = '', inner, innerId] = path.split('/');
    const place = inner === undefined ? root : collectionsOf(root, collection, id, below);
    const name = inner ?? collection;
    place[name] = { ...place[name], [innerId ?? id]: { ...fields } };
  }
  return root;
}

type Nested = Record<string, Record<string, Record<string, unknown>>>;

function collectionsOf(root: Nested, collection: string, id: string, below: string): Nested {
  const document: Record<string, unknown> = root[collection]?.[id] ?? {};
  document[below] ??= {};
  return document[below] as Nested;
}
