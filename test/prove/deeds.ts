import { wishKinds } from '../../contract/wishes.ts';
import {
  about,
  anybody,
  author,
  by,
  enough,
  type Maker,
  ofSome,
  reader,
  tagNames,
  tags,
  writer,
} from './choices.ts';
import { existing, type World } from './model/world.ts';
import { answerByMail, edit, letIn, postByMail, share, write } from './post-deeds.ts';
import type { Random } from './random.ts';
import type { Deed } from './steps.ts';

/** How often each kind is chosen, relative to the others. */
export const makers: readonly [weight: number, make: Maker][] = [
  [3, world => (existing(world.accounts).length < enough.accounts ? { do: 'signUp' } : undefined)],
  [2, about((who, _, random) => ({ do: 'signIn', who, isWrong: random.chance(0.2) }))],
  [1, by(who => ({ do: 'signOut', by: who }))],
  [0.6, by(who => ({ do: 'signOutEverywhere', by: who }))],
  [0.5, by(who => ({ do: 'changeName', by: who }))],
  [1, by((who, random) => ({ do: 'setFace', by: who, isPicture: random.chance(0.7) }))],
  [0.6, by(who => ({ do: 'changePassword', by: who }))],
  [1.5, makeToken],
  [1, by(who => ({ do: 'makeFeed', by: who }))],
  [0.3, by(who => ({ do: 'endFeed', by: who }))],
  [0.5, by((who, random) => ({ do: 'makePostAddress', by: who, publishes: random.chance(0.5) }))],
  [0.2, by(who => ({ do: 'endPostAddress', by: who }))],
  [0.5, by(who => ({ do: 'startPush', by: who }))],
  [0.2, by(who => ({ do: 'stopPush', by: who }))],
  [
    0.7,
    ofSome('tokens', (token, world) => ({
      do: 'revokeToken',
      by: world.tokens[token]?.account ?? '',
      token,
    })),
  ],
  [
    0.4,
    by((who, random) => ({ do: 'deleteAccount', by: who, comments: random.chance(0.5) ? 'keep' : 'delete' })),
  ],
  [3, (world, random) => ({ do: 'setDefaults', by: author(world, random), tags: tags(random, 0.2) })],
  [0.7, tag('addTag')],
  [1.5, tag('renameTag')],
  [1, tag('deleteTag')],
  [1, mergeTag],
  [2, retagPosts],
  [6, write],
  [7, edit],
  [1.5, share],
  [
    1,
    ofSome('posts', (post, world, random) => ({
      do: 'setPinned',
      by: writer(world, random),
      post,
      isPinned: random.chance(0.6),
    })),
  ],
  [1.5, ofSome('posts', (post, world, random) => ({ do: 'deletePost', by: writer(world, random), post }))],
  [
    4,
    ofSome('posts', (post, world, random) => ({
      do: 'like',
      by: reader(world, random),
      post,
      liked: random.chance(0.7),
    })),
  ],
  [2, ofSome('posts', (post, world, random) => ({ do: 'openPost', by: reader(world, random), post }))],
  [1, ofSome('posts', (post, world, random) => ({ do: 'countOpening', by: reader(world, random), post }))],
  [3, ofSome('posts', (post, world, random) => ({ do: 'askFor', by: reader(world, random), post }))],
  [1, ofSome('posts', (post, world, random) => ({ do: 'withdrawAsked', by: reader(world, random), post }))],
  [2, letIn],
  [4, comment],
  [1.5, answerByMail],
  [1, postByMail],
  [
    1.5,
    // Mostly its author, who may no longer be allowed to read the post.
    ofSome('comments', (name, world, random) => ({
      do: 'deleteComment',
      by: (random.chance(0.5) && world.comments[name]?.author) || reader(world, random),
      comment: name,
    })),
  ],
  [
    1.5,
    ofSome('comments', (name, world, random) => ({
      do: 'editComment',
      by: (random.chance(0.8) && world.comments[name]?.author) || reader(world, random),
      comment: name,
    })),
  ],
  [
    1,
    ofSome('comments', (name, world, random) => ({
      do: 'reportComment',
      by: reader(world, random),
      comment: name,
    })),
  ],
  [1, moderation('hideComment')],
  [0.7, moderation('restoreComment')],
  [0.4, moderation('dismissReports')],
  [
    0.7,
    ofSome('posts', (post, world, random) => ({
      do: 'closeComments',
      by: writer(world, random),
      post,
      isClosed: random.chance(0.4),
    })),
  ],
  [
    0.7,
    by((who, random) => ({
      do: 'wish',
      by: who,
      kind: random.pick(wishKinds) ?? 'answers',
      isOn: random.chance(0.7),
    })),
  ],
  [
    1,
    by((who, random) => ({
      do: 'subscribe',
      by: who,
      subscribed: random.chance(0.7),
      ...(random.chance(0.3) && { rhythm: random.chance(0.5) ? 'daily' : 'at-once', soon: true }),
    })),
  ],
  [0.7, by((who, random) => ({ do: 'setReadingSettings', by: who, showsPast: random.chance(0.8) }))],
  [0.5, (world, random) => ({ do: 'saveAbout', by: author(world, random) })],
  [0.5, (world, random) => ({ do: 'addWebhook', by: author(world, random) })],
  [
    0.3,
    ofSome('webhooks', (webhook, world, random) => ({
      do: 'removeWebhook',
      by: author(world, random),
      webhook,
    })),
  ],
  [
    0.5,
    (world, random) => ({
      do: 'saveSettings',
      by: author(world, random),
      values: {
        ...(random.chance(0.7) && { namesAuthors: random.chance(0.6) ? 'true' : 'false' }),
        // So many days that no post of a history gets so old.
        ...(random.chance(0.4) && { commentsCloseAfter: random.chance(0.5) ? '400' : 'never' }),
      },
    }),
  ],
  [3, upload],
  [0.7, ofSome('files', (file, world, random) => ({ do: 'deleteFile', by: writer(world, random), file }))],
  [2, getDownload],
  [2.5, openStream],
  [1, about(who => ({ do: 'confirm', who }))],
  [
    1.2,
    (world, random) => ({
      do: 'invite',
      by: author(world, random),
      tags: tags(random, 0.4),
      uses: 1 + random.below(3),
    }),
  ],
  [
    0.5,
    ofSome('invitations', (invitation, world, random) => ({
      do: 'changeInvitation',
      by: author(world, random),
      invitation,
      tags: tags(random, 0.4),
    })),
  ],
  [
    0.4,
    ofSome('invitations', (invitation, world, random) => ({
      do: 'revokeInvitation',
      by: author(world, random),
      invitation,
    })),
  ],
  [1.2, join],
  [1, acceptInvitation],
  [0.8, turnOnFactor],
  [0.3, by(who => ({ do: 'turnOffFactor', by: who }))],
  [
    0.5,
    (world, random) => ({ do: 'requireFactor', by: author(world, random), isRequired: random.chance(0.5) }),
  ],
  [0.8, by(who => ({ do: 'addPasskey', by: who }))],
  [
    0.4,
    ofSome('passkeys', (passkey, world, random) => ({
      do: 'removePasskey',
      by: random.chance(0.8) ? (world.passkeys[passkey]?.account ?? '') : anybody(world, random),
      passkey,
    })),
  ],
  [1, ofSome('passkeys', passkey => ({ do: 'signInByPasskey', passkey }))],
];

function tag(kind: 'addTag' | 'renameTag' | 'deleteTag'): Maker {
  return (world, random) => ({ do: kind, by: author(world, random), tag: random.pick(tagNames) ?? 't1' });
}

function mergeTag(world: World, random: Random): Deed {
  const [one = 't1', into = 't2'] = random.shuffled(tagNames);
  return { do: 'mergeTag', by: author(world, random), tag: one, into };
}

function retagPosts(world: World, random: Random): Deed | undefined {
  const posts = random.some(Object.keys(world.posts), 0.3);
  const add = random.some(tagNames, 0.3);
  const remove = random.some(tagNames, 0.3).filter(name => !add.includes(name));
  if (posts.length === 0) return undefined;
  return { do: 'retagPosts', by: author(world, random), posts, add, remove };
}

function join(world: World, random: Random): Deed | undefined {
  const invitation = random.pickAgain(Object.values(world.invitations));
  if (invitation === undefined || existing(world.accounts).length > enough.accounts) return undefined;
  return { do: 'join', invitation: invitation.name };
}

function acceptInvitation(world: World, random: Random): Deed | undefined {
  const invitation = random.pickAgain(Object.values(world.invitations));
  return invitation && { do: 'acceptInvitation', by: reader(world, random), invitation: invitation.name };
}

/** Mostly somebody who may: whose address is confirmed, or an admin. */
function turnOnFactor(world: World, random: Random): Deed | undefined {
  const all = existing(world.accounts);
  const mayTurnOn = all.filter(({ isConfirmed, isAdmin }) => isConfirmed || isAdmin);
  const account = random.pickAgain(random.chance(0.75) ? mayTurnOn : all);
  return account && { do: 'turnOnFactor', by: account.name };
}

function makeToken(world: World, random: Random): Deed | undefined {
  if (Object.values(world.tokens).filter(token => token.isOpen).length >= enough.tokens) return undefined;
  const account = random.pick(existing(world.accounts));
  return account && { do: 'makeToken', by: account.name };
}

function comment(world: World, random: Random): Deed | undefined {
  const post = random.pick(existing(world.posts));
  if (post === undefined || existing(world.comments).length >= enough.comments) return undefined;
  const by = reader(world, random);
  const others = existing(world.comments).filter(other => other.post === post.name || random.chance(0.1));
  const answers = random.chance(0.5) ? random.pick(others)?.name : undefined;
  return { do: 'comment', by, post: post.name, ...(answers !== undefined && { answers }) };
}

/** A decision about a comment, mostly of an admin. */
function moderation(kind: 'hideComment' | 'restoreComment' | 'dismissReports'): Maker {
  return ofSome('comments', (comment, world, random) => ({ do: kind, by: author(world, random), comment }));
}

function upload(world: World, random: Random): Deed | undefined {
  if (existing(world.files).length >= enough.files) return undefined;
  return { do: 'upload', by: writer(world, random), isPicture: random.chance(0.5) };
}

function getDownload(world: World, random: Random): Deed | undefined {
  const file = random.pick(existing(world.files));
  if (file === undefined || Object.keys(world.downloads).length >= enough.downloads) return undefined;
  return { do: 'getDownload', by: reader(world, random), file: file.name };
}

function openStream(world: World, random: Random): Deed | undefined {
  const posts = random.some(existing(world.posts), 0.6).map(post => post.name);
  return posts.length === 0 ? undefined : { do: 'openStream', by: reader(world, random), posts };
}
