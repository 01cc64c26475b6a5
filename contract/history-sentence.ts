import type { HistoryEntry, Named } from './history.ts';
import type { HistoryKind } from './history-kinds.ts';

/** A change of a setting: `“Time zone” from “UTC” to “Europe/Vienna”`. */
export const settingWords = ({ label, before, after }: { label: string; before: string; after: string }) =>
  `“${label}” ${before ? `from “${before}” ` : ''}to ${after ? `“${after}”` : 'nothing'}`;

/** The subject of a sentence if nobody was signed in. */
const nobodyNamed: Record<HistoryEntry['via'], string> = {
  browser: 'Somebody with a link',
  token: 'A program',
  'command-line': 'Somebody at the command line',
  import: 'An import',
  server: 'The server',
};

export function sentenceOf(entry: HistoryEntry): string {
  return `${entry.actor?.name ?? nobodyNamed[entry.via]} ${deeds[entry.kind](entry)}.`;
}

/** The way in which it was done: `browser, 203.0.113.7`. */
export function wayOf({ via, viaName, address }: HistoryEntry): string {
  const names = {
    browser: 'browser',
    token: `token “${viaName}”`,
    'command-line': 'command line',
    import: 'import',
    server: 'server',
  };
  const isSystemUser = (via === 'command-line' || via === 'import') && viaName !== null;
  return [names[via], isSystemUser ? `as ${viaName}` : null, address]
    .filter(part => part !== null)
    .join(', ');
}

const roles: Record<string, string> = {
  admin: 'an admin',
  author: 'an author',
  member: 'a member',
  approved: 'a member',
};

const states: Record<string, string> = { pending: 'waits', approved: 'is a member', denied: 'is denied' };

const about = ({ user }: HistoryEntry) => user?.name ?? 'an account';
const thing = (entry: HistoryEntry) => `“${entry.thing?.name ?? ''}”`;
const isOwn = ({ actor, user }: HistoryEntry) => actor !== null && actor.id === user?.id;
const list = (named: readonly Named[]) => named.map(({ name }) => `“${name}”`).join(', ');

/** The tags that somebody was given, if any. */
const withTags = ({ gave }: HistoryEntry) => (gave?.length ? ` with ${list(gave)}` : '');
const ofOther = (entry: HistoryEntry) => (isOwn(entry) ? '' : ` of ${about(entry)}`);

function tags(entry: HistoryEntry, words: { gave: string; took: string }): string {
  const { gave = [], took = [] } = entry;
  return [
    ...(gave.length > 0 ? [`${words.gave} ${list(gave)}`] : []),
    ...(took.length > 0 ? [`${words.took} ${list(took)}`] : []),
  ].join(' and ');
}

function withChoices({ opens, leavesTagsOut }: HistoryEntry): string {
  const chosen = [
    ...(opens ? ['removed tags that the source has removed'] : []),
    ...(leavesTagsOut ? ['left out tags that close posts which the source does not restrict'] : []),
  ];
  return chosen.map(words => `, and ${words}`).join('');
}

const deeds: Record<HistoryKind, (entry: HistoryEntry) => string> = {
  'user-approved': entry =>
    `approved ${about(entry)}${withTags(entry)}${entry.before === 'denied' ? ', who was denied' : ''}`,
  'user-denied': entry =>
    entry.before === 'approved' ? `revoked the approval of ${about(entry)}` : `denied ${about(entry)}`,
  'decision-undone': entry =>
    `undid the decision about ${about(entry)}, who ${states[entry.after ?? ''] ?? 'is as before'} again`,
  'tags-changed': entry =>
    `changed what ${about(entry)} may read: ${tags(entry, { gave: 'gave', took: 'took' })}`,
  'role-changed': entry =>
    // Nobody else makes themselves an admin.
    isOwn(entry) && entry.after === 'admin'
      ? 'set up the site, as its first admin'
      : `made ${isOwn(entry) ? 'their own account' : about(entry)} ${roles[entry.after ?? ''] ?? entry.after}`,
  'member-muted': entry => `took from ${about(entry)} the right to comment`,
  'member-unmuted': entry => `let ${about(entry)} comment again`,
  'face-removed': entry => `removed the picture of ${about(entry)}`,
  'account-imported': entry =>
    `imported the account ${about(entry)} as ${roles[entry.after ?? ''] ?? entry.after}${withTags(entry)}`,
  'account-deleted': entry => `deleted ${isOwn(entry) ? 'their account' : `the account ${about(entry)}`}`,
  'admin-signed-in': () => 'signed in as an admin',
  'password-changed': () => 'changed their password',
  'password-reset': entry => `set a new password for ${about(entry)}`,
  'reset-link-made': entry => `made a link that sets a new password for ${about(entry)}`,
  'address-changed': entry => `confirmed a new email address for ${about(entry)}`,
  'session-ended': () => 'ended one of their sessions',
  'sessions-ended': () => 'signed out everywhere',
  'token-made': entry => `made the access token ${thing(entry)}${ofOther(entry)}`,
  'token-revoked': entry => `revoked the access token ${thing(entry)}${ofOther(entry)}`,
  'sign-in-connected': () => 'connected their account with another way to log in',
  'sign-in-disconnected': () => 'disconnected the other way to log in',
  'passkey-added': entry => `added the passkey ${thing(entry)}`,
  'passkey-removed': entry => `removed the passkey ${thing(entry)}${ofOther(entry)}`,
  'second-factor-on': () => 'turned on the second factor of their account',
  'second-factor-off': entry =>
    `turned off the second factor of ${isOwn(entry) ? 'their account' : about(entry)}`,
  'recovery-codes-made': () => 'made new recovery codes',
  'recovery-code-used': () => 'logged in with a recovery code',
  'admin-factor-changed': entry =>
    entry.after === 'required'
      ? 'requires a second factor of admins from now on'
      : 'requires no second factor of admins any more',
  'invitation-made': entry =>
    `made the invitation ${thing(entry)}${withTags(entry)}${entry.user ? `, as ${entry.user.name} had proposed` : ''}`,
  'invitation-changed': entry =>
    `changed the tags of the invitation ${thing(entry)}: ${tags(entry, { gave: 'added', took: 'took away' })}`,
  'invitation-revoked': entry => `revoked the invitation ${thing(entry)}`,
  joined: entry =>
    `joined by the invitation ${thing(entry)}${withTags(entry)}${
      entry.after === 'pending' ? ', and waits for approval' : ''
    }`,
  'tag-added': entry => `added the tag ${thing(entry)}`,
  'tag-renamed': entry => `renamed the tag “${entry.before}” to “${entry.after}”`,
  'tag-merged': entry => `merged the tag ${thing(entry)} into “${entry.after}”`,
  'tag-deleted': entry => `deleted the tag ${thing(entry)}`,
  'post-deleted': entry =>
    `deleted ${entry.thing?.name ? `the post ${thing(entry)}` : 'a short post'}${
      entry.user === null || isOwn(entry) ? '' : ` by ${about(entry)}`
    }`,
  'posts-retagged': entry =>
    `changed the tags of ${entry.posts === 1 ? '1 post' : `${entry.posts ?? 'some'} posts`}: ${tags(entry, { gave: 'added', took: 'took away' })}`,
  'setting-changed': ({ thing, before = '', after = '' }) =>
    `changed the setting ${settingWords({ label: thing?.name ?? '', before, after })}`,
  'webhook-added': entry => `added the webhook ${thing(entry)} at ${entry.after}`,
  'webhook-removed': entry => `removed the webhook ${thing(entry)}`,
  'import-started': entry => `started an import from ${entry.thing?.name}${withChoices(entry)}`,
  'export-made': entry => `made an export of ${entry.thing?.name}`,
  'export-downloaded': entry => `downloaded an export of ${entry.thing?.name}`,
  'default-tags-changed': entry =>
    `changed the default tags: ${tags(entry, { gave: 'added', took: 'took away' })}`,
};
