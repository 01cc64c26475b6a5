import { objectPath } from '../storage.ts';
import { deviceAt, fullNameAt, newAccount, passwordAt } from './model/account-acts.ts';
import type { Asked } from './model/acts.ts';
import { credentialOf, newestSession } from './model/caller.ts';
import { commentAt, descriptionOf, firstWordOfTag, textOf, wordsAt } from './model/post-acts.ts';
import { viewerOf } from './model/rule.ts';
import { aboutAt, renamedAt } from './model/site-acts.ts';
import { labelOf } from './model/way-acts.ts';
import { emailOf, standing, type World } from './model/world.ts';
import { beginningUpload, uploadOf, uploadStep } from './perform-uploads.ts';
import {
  addingPasskey,
  joining,
  signingByLink,
  signingByPasskey,
  signingIn,
  turningOn,
} from './perform-ways.ts';
import type { DeedOf, Written } from './steps.ts';
import { checkingImport } from './transfers.ts';
import { type Ask, callOf, headersOf, resultOf, type Wire } from './wire.ts';
import { wordFor } from './words.ts';

/** Something that is asked of the server, ready to send; undefined where the step names what is not there. */
export async function requestOf(
  world: World,
  step: DeedOf<Asked>,
  wire: Wire,
  process: number,
  now: number,
): Promise<Ask | undefined> {
  const by = 'by' in step ? step.by : 'nobody';
  const credential = credentialOf(world, by);
  if (credential === undefined) return undefined;
  const headers = {
    'user-agent': deviceAt(step.at),
    ...addressOf(step, by),
    ...headersOf(world, credential),
  };
  const call = (operation: string, input: object = {}) => callOf(operation, input, headers);
  const sending = { world, wire, process, now, headers };
  const post = 'post' in step ? world.posts[step.post] : undefined;
  if ('post' in step && post === undefined) return undefined;
  const file = 'file' in step ? world.files[step.file] : undefined;
  if ('file' in step && file === undefined) return undefined;
  const account = 'who' in step ? world.accounts[step.who] : world.accounts[by];
  if ('who' in step && account === undefined) return undefined;
  if (
    'shows' in step &&
    [...(step.attach ?? []), ...step.shows].some(name => world.files[name] === undefined)
  )
    return undefined;
  const tagNames = (tags: readonly string[]) => tags.map(tag => world.tags[tag]?.word ?? firstWordOfTag(tag));

  switch (step.do) {
    case 'signUp': {
      const { username, fullName: name, password } = newAccount(step.at, {});
      return call('signUp', { username, name, email: `${username}@example.com`, password });
    }
    case 'signIn': {
      if (account === undefined) return undefined;
      const password = step.isWrong ? wordFor(`wrong password at ${step.at}`) : account.password;
      return await signingIn(sending, step, password);
    }
    case 'signOut':
    case 'signOutEverywhere':
      return call(step.do);
    case 'changeName':
      return call('changeName', { name: fullNameAt(step.at) });
    case 'changePassword':
      if (account === undefined) return undefined;
      return call('changePassword', {
        ...(account.hasPassword && { currentPassword: account.password }),
        newPassword: passwordAt(step.at),
      });
    case 'makeToken':
      return call('createAccessToken', {
        name: wordFor(`label of k${step.at}`),
        scopes: ['read', 'write', 'files', 'members'],
      });
    case 'revokeToken': {
      const token = world.tokens[step.token];
      return token && call('revokeAccessToken', { tokenId: token.id });
    }
    case 'deleteAccount':
      if (account === undefined) return undefined;
      return call('deleteAccount', { comments: step.comments });
    case 'approve':
      return call('approveUser', {
        userId: account?.id,
        ...(step.tags && { tags: tagNames(step.tags) }),
      });
    case 'deny':
      return call('denyUser', { userId: account?.id });
    case 'decideMany':
      return call('decideUsers', {
        decisions: step.decisions.map(({ who, isApproval, tags }) => ({
          userId: world.accounts[who]?.id ?? 'nobody',
          decision: isApproval ? 'approve' : 'deny',
          ...(isApproval && { tags: tagNames(tags) }),
        })),
      });
    case 'undo':
      return call('undoDecision', { userId: account?.id });
    case 'allowTags':
      return call('setApprovedTags', { userId: account?.id, tags: tagNames(step.tags) });
    case 'setAdmin':
      return call('setAdmin', { userId: account?.id, isAdmin: step.isAdmin });
    case 'setAuthor':
      return call('setAuthor', { userId: account?.id, isAuthor: step.isAuthor });
    case 'setDefaults':
      return call('setDefaultTags', { tags: tagNames(step.tags) });
    case 'addTag':
      return call('addTag', { name: tagNames([step.tag])[0] });
    case 'renameTag':
    case 'deleteTag': {
      const tagId = await idOfTag(world, step.tag, wire, process);
      if (tagId === undefined) return undefined;
      return step.do === 'deleteTag'
        ? call('deleteTag', { tagId })
        : call('renameTag', { tagId, name: renamedAt(step.tag, step.at) });
    }
    case 'write':
      return call('createPost', { ...written(world, step), tags: tagNames(step.tags) });
    case 'edit': {
      const version = step.isStale ? { version: 0 } : {};
      return call('updatePost', {
        ...written(world, step),
        tags: tagNames(step.tags),
        postId: post?.id,
        ...version,
      });
    }
    case 'deletePost':
      return call('deletePost', { postId: post?.id });
    case 'like':
      return call('setLike', { postId: post?.id, liked: step.liked });
    case 'comment':
      return call('addComment', { postId: post?.id, content: `A comment: ${commentAt(step.at)}.` });
    case 'deleteComment': {
      const comment = world.comments[step.comment];
      return comment && call('deleteComment', { commentId: comment.id });
    }
    case 'subscribe':
      return call('setSubscription', { subscribed: step.subscribed });
    case 'saveAbout':
      return call('saveAbout', { content: `About ${aboutAt(step.at)}.` });
    case 'confirm':
      return account?.link && call('confirmEmail', { token: account.link.token });
    case 'invite': {
      const whom = { name: labelOf(`i${step.at}`), uses: step.uses };
      return call('createInvitations', { tags: tagNames(step.tags), expiresInDays: 7, for: whom });
    }
    case 'changeInvitation':
    case 'revokeInvitation': {
      const invitation = world.invitations[step.invitation];
      if (invitation === undefined) return undefined;
      const named = { invitationId: invitation.id };
      return step.do === 'revokeInvitation'
        ? call('revokeInvitation', named)
        : call('setInvitationTags', { ...named, tags: tagNames(step.tags) });
    }
    case 'join':
      return joining(sending, step);
    case 'turnOnFactor':
      return await turningOn(sending);
    case 'turnOffFactor':
      return call('turnOffSecondFactor');
    case 'requireFactor':
      return call('setAdminFactor', { isRequired: step.isRequired });
    case 'addPasskey':
      return await addingPasskey(sending, step);
    case 'removePasskey': {
      const passkey = world.passkeys[step.passkey];
      return passkey && call('removePasskey', { passkeyId: passkey.id });
    }
    case 'signInByPasskey':
      return await signingByPasskey(sending, step);
    case 'askSignInLink':
      return account && call('requestSignInLink', { email: emailOf(account) });
    case 'signInByLink':
      return await signingByLink(sending, step);
    case 'startExport':
      return call('startExport', { format: 'markdown' });
    case 'checkImport':
      return await checkingImport(sending, step);
    case 'startImport':
    case 'endTransfer': {
      const transfer = world.transfers[step.transfer];
      return transfer && call(step.do, { transferId: transfer.id });
    }
    case 'beginUpload':
      return beginningUpload(step, headers);
    case 'sendPart':
    case 'finishUpload':
    case 'askUpload':
    case 'cancelUpload':
      return uploadStep(world, step, headers);
    case 'upload':
      return await uploadOf(step, headers);
    case 'deleteFile':
      return file && { method: 'DELETE', path: objectPath(file.path), headers };
    case 'getDownload':
      return file && { path: objectPath(file.path), headers };
  }
}

/** What a post holds, as its author sends it. */
function written(world: World, step: Written & { at: number }) {
  const { head, tail, title, description } = wordsAt(step.at, step.type);
  const address = (name: string) => `/files/${world.files[name]?.id}`;
  const pictures = step.shows.map(name => `\n\n![a picture](${address(name)})`).join('');
  return {
    type: step.type,
    isDraft: step.isDraft,
    ...(step.type === 'essay' && { title, description }),
    content: textOf({ head, tail }) + pictures,
    ...(step.attach && {
      attachments: step.attach.map(name => ({
        url: `${address(name)}/${world.files[name]?.path.slice('posts/'.length)}`,
        description: descriptionOf(name, step.at),
      })),
    }),
  };
}

/** Where a person's requests come from, as a proxy would say; limits count by it. */
function addressOf({ at }: { at: number }, by: string): Record<string, string> {
  const number = by === 'nobody' ? at : Number(by.replaceAll(/\D/g, '') || 0);
  return { 'x-forwarded-for': `10.${by === 'nobody' ? 1 : 2}.${(number >> 8) & 255}.${number & 255}` };
}

/** The model does not know what the server calls a tag; an admin does. */
async function idOfTag(world: World, name: string, wire: Wire, process: number): Promise<string | undefined> {
  const admin = standing(world.accounts).find(
    account => viewerOf(world, account).role === 'admin' && newestSession(world, account.name)?.isOpen,
  );
  const tag = world.tags[name];
  if (admin === undefined || tag === undefined) return undefined;
  const session = newestSession(world, admin.name)?.name ?? '';
  const headers = headersOf(world, { by: 'cookie', session });
  const answer = resultOf(await wire.send(process, callOf('getManagedTags', {}, headers)));
  if ('refusal' in answer) return undefined;
  const { tags } = answer.result as { tags: { id: string; name: string }[] };
  // One that is deleted is in no list: an id that is nobody's is refused the same.
  return tags.find(each => each.name === tag.word)?.id ?? 'deleted';
}
