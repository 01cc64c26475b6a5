/** The kinds of entries in the history of rights by their topics, each with its name in a list. */
export const kindsByTopic = {
  Accounts: {
    'user-approved': 'Approved an account',
    'user-denied': 'Denied an account',
    'decision-undone': 'Undid a decision',
    'tags-changed': 'Changed approved tags',
    'role-changed': 'Changed a role',
    'member-muted': 'Muted a member',
    'member-unmuted': 'Let a member comment again',
    'face-removed': 'Removed the picture of an account',
    'account-imported': 'Imported an account',
    'account-deleted': 'Deleted an account',
  },
  'Logging in': {
    'admin-signed-in': 'Signed in as admin',
    'password-changed': 'Changed a password',
    'password-reset': 'Set a password by a link',
    'reset-link-made': 'Made a link that sets a password',
    'address-changed': 'Changed an email address',
    'session-ended': 'Ended a session',
    'sessions-ended': 'Signed out everywhere',
    'token-made': 'Made an access token',
    'token-revoked': 'Revoked an access token',
    'sign-in-connected': 'Connected a way to sign in',
    'sign-in-disconnected': 'Disconnected a way to sign in',
    'passkey-added': 'Added a passkey',
    'passkey-removed': 'Removed a passkey',
    'second-factor-on': 'Turned on a second factor',
    'second-factor-off': 'Turned off a second factor',
    'recovery-codes-made': 'Made recovery codes',
    'recovery-code-used': 'Logged in with a recovery code',
    'admin-factor-changed': 'Changed whether admins need a second factor',
  },
  Invitations: {
    'invitation-made': 'Made an invitation',
    'invitation-changed': 'Changed the tags of an invitation',
    'invitation-revoked': 'Revoked an invitation',
    joined: 'Joined by an invitation',
  },
  'Tags and posts': {
    'tag-added': 'Added a tag',
    'tag-renamed': 'Renamed a tag',
    'tag-merged': 'Merged two tags',
    'tag-deleted': 'Deleted a tag',
    'post-deleted': 'Deleted a post',
    'posts-retagged': 'Changed the tags of posts',
    'default-tags-changed': 'Changed the default tags',
  },
  'The site': {
    'setting-changed': 'Changed a setting',
    'webhook-added': 'Added a webhook',
    'webhook-removed': 'Removed a webhook',
    'import-started': 'Started an import',
    'export-made': 'Made an export',
    'export-downloaded': 'Downloaded an export',
  },
} as const;

/** The kinds of entries with their names. */
export const historyKinds = {
  ...kindsByTopic.Accounts,
  ...kindsByTopic['Logging in'],
  ...kindsByTopic.Invitations,
  ...kindsByTopic['Tags and posts'],
  ...kindsByTopic['The site'],
};
export type HistoryKind = keyof typeof historyKinds;
