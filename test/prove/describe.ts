import type { Credential } from './model/rule.ts';
import type { World } from './model/world.ts';
import type { Step, Written } from './steps.ts';

/** A step as a sentence. */
export function describeStep(step: Step): string {
  const by = 'by' in step ? nameOf(step.by) : '';
  switch (step.do) {
    case 'signUp':
      return `u${step.at} signs up`;
    case 'signIn':
      return `${step.who} signs in${step.isWrong ? ' with a wrong password' : `, as s${step.at}`}`;
    case 'signOut':
      return `${by} signs out`;
    case 'signOutEverywhere':
      return `${by} signs out everywhere`;
    case 'changeName':
      return `${by} changes the full name`;
    case 'changePassword':
      return `${by} changes the password, and continues as s${step.at}`;
    case 'makeFeed':
      return `${by} makes a feed of their own`;
    case 'endFeed':
      return `${by} ends the feed of their own`;
    case 'makeToken':
      return `${by} makes the access token k${step.at}`;
    case 'revokeToken':
      return `${by} revokes the access token ${step.token}`;
    case 'deleteAccount':
      return `${by} deletes the account; comments: ${step.comments}`;
    case 'approve':
      return `${by} approves ${step.who}${step.tags ? ` for ${list(step.tags)}` : ''}`;
    case 'deny':
      return `${by} denies ${step.who}`;
    case 'decideMany':
      return `${by} decides together: ${step.decisions
        .map(({ who, isApproval, tags }) => (isApproval ? `${who} for ${list(tags)}` : `not ${who}`))
        .join('; ')}`;
    case 'undo':
      return `${by} undoes the decision about ${step.who}`;
    case 'allowTags':
      return `${by} allows ${step.who} ${list(step.tags)}`;
    case 'setAdmin':
      return `${by} makes ${step.who} ${step.isAdmin ? 'an admin' : 'a member'}`;
    case 'setAuthor':
      return `${by} makes ${step.who} ${step.isAuthor ? 'an author' : 'a member'}`;
    case 'setDefaults':
      return `${by} makes ${list(step.tags)} default tags`;
    case 'addTag':
      return `${by} adds the tag ${step.tag}`;
    case 'renameTag':
      return `${by} gives ${step.tag} another name`;
    case 'deleteTag':
      return `${by} deletes the tag ${step.tag}`;
    case 'write':
      return `${by} writes p${step.at}: ${describePost(step)}`;
    case 'edit':
      return `${by} edits ${step.post}${step.isStale ? ' from an old version' : ''}: ${describePost(step)}`;
    case 'deletePost':
      return `${by} deletes ${step.post}`;
    case 'like':
      return `${by} ${step.liked ? 'likes' : 'no longer likes'} ${step.post}`;
    case 'openPost':
      return `${by} opens ${step.post}`;
    case 'comment':
      return `${by} comments on ${step.post}${step.answers ? ` in answer to ${step.answers}` : ''}: c${step.at}`;
    case 'deleteComment':
      return `${by} deletes the comment ${step.comment}`;
    case 'editComment':
      return `${by} edits the comment ${step.comment}`;
    case 'reportComment':
      return `${by} reports the comment ${step.comment}`;
    case 'hideComment':
      return `${by} hides the comment ${step.comment}`;
    case 'restoreComment':
      return `${by} shows the comment ${step.comment} again`;
    case 'dismissReports':
      return `${by} leaves the comment ${step.comment} as it is`;
    case 'closeComments':
      return `${by} ${step.isClosed ? 'closes' : 'opens'} the comments of ${step.post}`;
    case 'closeAfter':
      return `${by} closes comments ${step.days === null ? 'never' : `after ${step.days} days`}`;
    case 'mute':
      return `${by} ${step.isMuted ? 'mutes' : 'unmutes'} ${step.who}`;
    case 'subscribe':
      return `${by} ${step.subscribed ? 'subscribes' : 'unsubscribes'}`;
    case 'wish':
      return `${by} ${step.isOn ? 'wants' : 'does not want'} mails of ${step.kind}`;
    case 'saveAbout':
      return `${by} writes the About text`;
    case 'setNamesAuthors':
      return `${by} lets posts ${step.namesAuthors ? '' : 'not '}name their authors`;
    case 'upload':
      return `${by} uploads ${step.isPicture ? 'the picture' : 'the text'} f${step.at}`;
    case 'deleteFile':
      return `${by} deletes ${step.file}`;
    case 'getDownload':
      return `${by} asks for ${step.file} and gets the download token d${step.at}`;
    case 'confirm':
      return `${step.who} confirms the address by the link in the last mail`;
    case 'invite':
      return `${by} makes the invitation i${step.at} of ${list(step.tags)} for ${step.uses}`;
    case 'changeInvitation':
      return `${by} gives ${step.invitation} ${list(step.tags)}`;
    case 'revokeInvitation':
      return `${by} revokes ${step.invitation}`;
    case 'join':
      return `u${step.at} joins by ${step.invitation}`;
    case 'turnOnFactor':
      return `${by} turns on a second factor`;
    case 'turnOffFactor':
      return `${by} turns off the second factor`;
    case 'requireFactor':
      return `${by} requires ${step.isRequired ? 'a' : 'no'} second factor of admins`;
    case 'addPasskey':
      return `${by} adds the passkey y${step.at}`;
    case 'removePasskey':
      return `${by} removes the passkey ${step.passkey}`;
    case 'signInByPasskey':
      return `somebody signs in with ${step.passkey}, as s${step.at}`;
    case 'askSignInLink':
      return `somebody asks for a link that logs ${step.who} in`;
    case 'signInByLink':
      return `${step.who} logs in by the link in the last mail, as s${step.at}`;
    case 'beginUpload':
      return `${by} begins the upload a${step.at} of f${step.at}`;
    case 'sendPart':
      return `${by} sends the first half of ${step.upload}`;
    case 'finishUpload':
      return `${by} sends the rest of ${step.upload}`;
    case 'askUpload':
      return `${by} asks how far ${step.upload} has come`;
    case 'cancelUpload':
      return `${by} cancels ${step.upload}`;
    case 'openStream':
      return `${by} opens the stream l${step.at} of ${list(step.posts)}`;
    case 'closeStream':
      return `the stream ${step.stream} is closed`;
    case 'backUp':
      return `the site is saved as b${step.at}`;
    case 'restore':
      return `the site is restored from ${step.backup}${step.keepsAccess ? ', with tokens and invitations' : ''}`;
    case 'importPost':
      return `the command line imports p${step.at}: ${describePost({ ...step, shows: [] })}`;
    case 'startExport':
      return `${by} begins the export x${step.at}`;
    case 'checkImport':
      return `${by} has the import x${step.at} of p${step.at} checked`;
    case 'startImport':
      return `${by} starts the import ${step.transfer}`;
    case 'endTransfer':
      return `${by} ends ${step.transfer}, and deletes its files`;
    case 'workOnTransfers':
      return 'the waiting import or export runs';
    case 'moveClock':
      return `the clock moves by ${Math.round(step.ms / 1_000)} s`;
    case 'together':
      return `at once: ${step.steps.map(describeStep).join('; ')}`;
    case 'kill':
      return `the ${step.ofDatabase ? 'database' : `server ${step.process}`} is killed after ${step.afterMs} ms, in the middle of: ${step.steps.map(describeStep).join('; ')}`;
    case 'freeze':
      return `while the server ${step.process} is frozen: ${step.steps.map(describeStep).join('; ')}; then it is asked questions, and wakes`;
  }
}

function describePost({ type, tags, isDraft, attach, shows }: Written): string {
  const what = `${isDraft ? 'a draft of ' : ''}${type === 'essay' ? 'an essay' : 'a short post'}`;
  const files = [...(attach ?? []), ...shows];
  const unchanged = attach === undefined ? ', attachments as before' : '';
  return `${what} for ${list(tags)}${files.length > 0 ? ` with ${list(files)}` : ''}${unchanged}`;
}

const list = (names: readonly string[]) => (names.length === 0 ? 'nothing' : names.join(' and '));

const nameOf = (by: string) => (by.endsWith('*') ? `the bearer of ${by.slice(0, -1)}` : by);

/** A history in the form of a stored one, each step with its description. */
export function describeHistory(steps: readonly Step[], findings: readonly string[]): string {
  return [
    "// A counterexample: store it under test/prove/seeds, and 'npm test' plays it each time.",
    ...steps.map(step => `${JSON.stringify(step)}, // ${describeStep(step)}`),
    ...findings.map(finding => `// Then: ${finding}`),
  ].join('\n');
}

/** Who asks with a credential, and whether it is still valid. */
export function describeCredential(world: World, credential: Credential): string {
  if (credential.by === 'nothing') return 'a visitor';
  const held =
    credential.by === 'token' ? world.tokens[credential.token] : world.sessions[credential.session];
  const account = world.accounts[held?.account ?? ''];
  const state = account?.isGone ? 'deleted' : account?.isAdmin ? 'admin' : account?.status;
  const what = credential.by === 'token' ? 'access token' : credential.by;
  return `${held?.account} (${state}, ${what} ${held?.name}${held?.isOpen ? '' : ', ended'})`;
}
