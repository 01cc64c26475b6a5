import type { Generated } from 'kysely';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import type { AuthTime, Flag, OptionalFlag } from './columns.ts';

/** Accounts, ways to sign in, decisions about accounts, and invitations. */
export type AccountTables = {
  users: {
    id: string;
    name: string;
    email: string;
    email_verified: Flag;
    /** The name of its picture in `faces`, which changes with it; null for none. */
    image: string | null;
    created_at: AuthTime;
    /**
     * When it was made, or when its owner first proved to read its mailbox: since then it may wait for
     * approval.
     */
    updated_at: AuthTime;
    /** Lower case, unique. */
    username: string;
    /** As the person wrote it. */
    display_username: string;
    is_admin: OptionalFlag;
    /** Whether they write posts of their own; never an admin, never an account that is not approved. */
    is_author: OptionalFlag;
    /** Whether they may read comments but write none. */
    is_muted: OptionalFlag;
    status: Generated<UserStatus>;
    approved_at: number | null;
    denied_at: number | null;
    /** Their introduction to the author at sign-up; null once an admin has decided about them. */
    introduction: Generated<string | null>;
  };
  /**
   * The state of an account before the last decision about it, so that it can be undone for a day: JSON of
   * `Before`.
   */
  undoable_decisions: { user_id: string; decided_at: number; before: string };
  /** How the people of accounts sign in: with a password, or as a person at an OpenID provider. */
  sign_in_methods: {
    id: string;
    user_id: string;
    /** The issuer of the provider; `credential` for a password. */
    provider: string;
    /** The person's id at the provider; for a password that of the account. */
    subject: string;
    /** The hash, never the password. */
    password: string | null;
    created_at: AuthTime;
    updated_at: AuthTime;
  };
  /** The picture of a person, WebP in base64. */
  faces: { user_id: string; picture: string };
  /** The feed of an account, and the digest of the secret in its address. */
  personal_feeds: { user_id: string; digest: string; created_at: number; last_used_at: number | null };
  /** The address at which an author posts by mail: the digest of its secret. */
  post_addresses: {
    user_id: string;
    digest: string;
    publishes: Flag;
    created_at: number;
  };
  sessions: {
    id: string;
    token: string;
    user_id: string;
    expires_at: AuthTime;
    ip_address: string | null;
    user_agent: string | null;
    created_at: AuthTime;
    updated_at: AuthTime;
    /** Whether use prolongs it; other sessions end after a day, and with the browser. */
    is_long: OptionalFlag;
    /** When its owner last confirmed their identity, in any way; null if not since it began. Milliseconds. */
    password_given_at: Generated<number | null>;
  };
  /** A browser that gets notifications, with the keys that encrypt them; deleted with its session. */
  push_subscriptions: {
    session_id: string;
    user_id: string;
    endpoint: string;
    p256dh: string;
    auth: string;
    created_at: number;
  };
  /** A browser that has signed in to an account, by the digest of its cookie. */
  known_browsers: { digest: string; user_id: string; used_at: number };
  /**
   * A link that proves access to the mailbox it was mailed to; a handed reset: given by an admin, proves
   * nothing about the mailbox. Only the SHA-256 of its token is stored.
   */
  email_links: {
    digest: string;
    user_id: string;
    /** The address that it was mailed to: the account's current one, or the new one to be confirmed. */
    email: string;
    /** What using it does: confirms that address, signs in, or sets a new password. */
    purpose: 'confirm' | 'sign-in' | 'reset' | 'handed reset';
    expires_at: number;
  };
  /**
   * A passkey: a key of a person's device or password manager, with which they sign in. Only its public part
   * is stored.
   */
  passkeys: {
    id: string;
    user_id: string;
    /** The name that its owner gave it. */
    name: string;
    /** Its credential id in WebAuthn, base64url. */
    credential_id: string;
    /** COSE, base64url. */
    public_key: string;
    counter: number;
    /** How a browser reaches it, separated by spaces. */
    transports: string;
    /** Whether it is on several devices. */
    is_synced: Flag;
    created_at: number;
    last_used_at: number | null;
  };
  /**
   * The app that makes codes for an account. The secret is stored in clear text, because codes are computed
   * from it.
   */
  second_factors: {
    user_id: string;
    /** Base32 (RFC 4648). */
    secret: string;
    /** The time step of the last accepted code: neither it nor an older one is accepted again. */
    last_step: number;
    created_at: number;
  };
  /** Codes for a user who has lost the app. Only the SHA-256 of a code is stored. */
  recovery_codes: { digest: string; user_id: string };
  /** A sign-in that still needs a code, by the SHA-256 of the token that its browser holds. */
  pending_sign_ins: {
    digest: string;
    user_id: string;
    expires_at: number;
    is_long: Flag;
    /** When they proved their identity, in milliseconds; null if that was when this began. */
    shown_at: number | null;
  };
  /** Tokens with which programs sign in. Only the SHA-256 of a token is stored, base64url. */
  access_tokens: {
    id: string;
    user_id: string;
    name: string;
    digest: string;
    created_at: number;
    expires_at: number | null;
    /** `Scope`s, separated by spaces. */
    scopes: string;
    /** To the hour. */
    last_used_at: Generated<number | null>;
    last_used_from: string | null;
  };
  /** Addresses that were denied, by digest; kept when the account is deleted. */
  denials: { digest: string; user_id: string; denied_at: number };
  /** A link by which people join without waiting for approval. Only the SHA-256 of its token is stored. */
  invitations: {
    id: string;
    digest: string;
    /** The admin's name for the invited person. */
    name: string | null;
    /** The only address that may join by it; null if anybody with the link may. */
    email: string | null;
    /** Whether the link was only mailed to that address, so that using it proves access to the mailbox. */
    is_mailed: Flag;
    /** Null if the account is deleted: then nobody can join by it any more. */
    created_by: string | null;
    created_at: number;
    expires_at: number;
    max_uses: number;
    /** How many have joined by it, deleted accounts included. */
    uses: Generated<number>;
    revoked_at: Generated<number | null>;
  };
  invitation_tags: { invitation_id: string; tag_id: string };
  /** People whom members propose for an invitation, until an admin has answered. */
  proposals: { user_id: string; email: string; name: string; word: string; created_at: number };
  /** Which accounts joined by which invitation. */
  invitation_uses: { user_id: string; invitation_id: string };
};
