import type { ColumnType, Generated } from 'kysely';
import type { AuthTime, Flag } from './columns.ts';

/** Accounts, the ways into them, what was decided about them, and invitations. */
export type AccountTables = {
  users: UsersTable;
  undoable_decisions: UndoableDecisionsTable;
  accounts: AccountsTable;
  sessions: SessionsTable;
  known_browsers: KnownBrowsersTable;
  verifications: VerificationsTable;
  email_links: EmailLinksTable;
  passkeys: PasskeysTable;
  second_factors: SecondFactorsTable;
  recovery_codes: RecoveryCodesTable;
  pending_sign_ins: PendingSignInsTable;
  access_tokens: AccessTokensTable;
  denials: DenialsTable;
  invitations: InvitationsTable;
  invitation_tags: InvitationTagsTable;
  invitation_uses: InvitationUsesTable;
};

export type MemberStatus = 'pending' | 'approved' | 'denied';

type UsersTable = {
  id: string;
  name: string;
  email: string;
  email_verified: Flag;
  image: string | null;
  created_at: AuthTime;
  updated_at: AuthTime;
  /** Lower case, unique. */
  username: string;
  /** As the person wrote it. */
  display_username: string;
  is_admin: ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;
  /** Writes posts of their own; never an admin, never somebody who is not approved. */
  is_author: ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;
  status: Generated<MemberStatus>;
  approved_at: number | null;
  denied_at: number | null;
  /** What they wrote to the author when they signed up; null once somebody has decided about them. */
  introduction: Generated<string | null>;
};

/** What an account had before the last decision about it, to take that back: JSON of `Before`, for a day. */
type UndoableDecisionsTable = { user_id: string; decided_at: number; before: string };

type AccountsTable = {
  id: string;
  account_id: string;
  provider_id: string;
  user_id: string;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: AuthTime | null;
  refresh_token_expires_at: AuthTime | null;
  scope: string | null;
  /** The hash, never the password. */
  password: string | null;
  created_at: AuthTime;
  updated_at: AuthTime;
};

type SessionsTable = {
  id: string;
  token: string;
  user_id: string;
  expires_at: AuthTime;
  ip_address: string | null;
  user_agent: string | null;
  created_at: AuthTime;
  updated_at: AuthTime;
  /** Whether it goes on with its use; others end a day after they began, and with the browser. */
  is_long: ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;
  /** When its owner showed who they are, where that was not when it began (null). Milliseconds. */
  password_given_at: Generated<number | null>;
};

/** A browser that has signed in to an account, by a digest of the cookie that marks it. */
type KnownBrowsersTable = { digest: string; user_id: string; used_at: number };

type VerificationsTable = {
  id: string;
  identifier: string;
  value: string;
  expires_at: AuthTime;
  created_at: AuthTime;
  updated_at: AuthTime;
};

/** A mailed link which proves that the owner of the account reads the mailbox. Only the SHA-256 of its token is stored. */
type EmailLinksTable = {
  digest: string;
  user_id: string;
  /** Where it was mailed to: the address of the account, or the one that it is to have. */
  email: string;
  /** What using it does: confirms that address, or signs in. */
  purpose: 'confirm' | 'sign-in';
  expires_at: number;
};

/** A key of a person's device or password manager, with which they sign in. What is kept of it opens nothing. */
type PasskeysTable = {
  id: string;
  user_id: string;
  /** As its owner calls it. */
  name: string;
  /** As WebAuthn names it, base64url. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** How often it says that it has signed; 0 for one that does not count. */
  counter: number;
  /** How a browser reaches it, with blanks between. */
  transports: string;
  /** Whether it is on several devices. */
  is_synced: Flag;
  created_at: number;
  last_used_at: number | null;
};

/** The app that makes codes for an account. The secret has to be readable: codes are made of it. */
type SecondFactorsTable = {
  user_id: string;
  /** Base32 (RFC 4648). */
  secret: string;
  /** The step of time of the last code that was taken: neither it nor an older one is taken again. */
  last_step: number;
  created_at: number;
};

/** Codes for who has lost the app. The code itself is nowhere: only its SHA-256. */
type RecoveryCodesTable = { digest: string; user_id: string };

/** A sign-in that still needs a code, by the SHA-256 of what its browser holds. */
type PendingSignInsTable = { digest: string; user_id: string; expires_at: number; is_long: Flag };

/** What a program signs in with. The token itself is nowhere: only its SHA-256, base64url. */
type AccessTokensTable = {
  id: string;
  user_id: string;
  name: string;
  digest: string;
  created_at: number;
  expires_at: number | null;
  /** `Scope`s with blanks between. */
  scopes: string;
  /** To the hour. */
  last_used_at: Generated<number | null>;
  last_used_from: string | null;
};

/** Addresses that were denied, by digest; kept when the account goes. */
type DenialsTable = { digest: string; user_id: string; denied_at: number };

/** A link by which people join without waiting. The token itself is nowhere: only its SHA-256. */
type InvitationsTable = {
  id: string;
  digest: string;
  /** Whom it is for, as the admin calls them. */
  name: string | null;
  /** The one address that may join by it; null when everybody who has the link may. */
  email: string | null;
  /** Whether the link went to that address by mail and to nobody else, so that who holds it reads the mailbox. */
  is_mailed: Flag;
  /** Null when the account is gone: nobody joins by it any more. */
  created_by: string | null;
  created_at: number;
  expires_at: number;
  max_uses: number;
  /** How many have joined by it, accounts that are gone too. */
  uses: Generated<number>;
  revoked_at: Generated<number | null>;
};

type InvitationTagsTable = { invitation_id: string; tag_id: string };

/** Which accounts came by which invitation. */
type InvitationUsesTable = { user_id: string; invitation_id: string };
