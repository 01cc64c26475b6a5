import type { Generated } from 'kysely';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import type { AuthTime, Flag, OptionalFlag } from './columns.ts';

/** Accounts, the ways into them, what was decided about them, and invitations. */
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
     * When it was made, or its owner first showed that they read its mailbox: since then it may wait for
     * approval.
     */
    updated_at: AuthTime;
    /** Lower case, unique. */
    username: string;
    /** As the person wrote it. */
    display_username: string;
    is_admin: OptionalFlag;
    /** Writes posts of their own; never an admin, never somebody who is not approved. */
    is_author: OptionalFlag;
    /** Reads comments and writes none. */
    is_muted: OptionalFlag;
    status: Generated<UserStatus>;
    approved_at: number | null;
    denied_at: number | null;
    /** What they wrote to the author when they signed up; null once an admin has decided about them. */
    introduction: Generated<string | null>;
  };
  /**
   * What an account had before the last decision about it, so that it can be undone for a day: JSON of
   * `Before`.
   */
  undoable_decisions: { user_id: string; decided_at: number; before: string };
  accounts: {
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
  /** The picture of a person, WebP in base64. */
  faces: { user_id: string; picture: string };
  /** The feed of an account, and the digest of the secret in its address. */
  personal_feeds: { user_id: string; digest: string; created_at: number; last_used_at: number | null };
  /** Where an author posts by mail, and the digest of the secret in the address. */
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
    /**
     * When its owner last confirmed their identity, by whatever way; null if not since it began.
     * Milliseconds.
     */
    password_given_at: Generated<number | null>;
  };
  /** A browser that is notified, and the keys for what it is sent; it goes with its session. */
  push_subscriptions: {
    session_id: string;
    user_id: string;
    endpoint: string;
    p256dh: string;
    auth: string;
    created_at: number;
  };
  /** A browser that has signed in to an account, by a digest of the cookie that marks it. */
  known_browsers: { digest: string; user_id: string; used_at: number };
  /**
   * A link that proves access to the mailbox it was mailed to; a handed reset: given by an admin, proves
   * nothing about the mailbox. Only the SHA-256 of its token is stored.
   */
  email_links: {
    digest: string;
    user_id: string;
    /** The address that it was mailed to: that of the account, or the one that it is to be changed to. */
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
    /** As its owner calls it. */
    name: string;
    /** As WebAuthn names it, base64url. */
    credential_id: string;
    /** COSE, base64url. */
    public_key: string;
    /** Its signature counter; 0 if it does not count. */
    counter: number;
    /** How a browser reaches it, separated by spaces. */
    transports: string;
    /** Whether it is on several devices. */
    is_synced: Flag;
    created_at: number;
    last_used_at: number | null;
  };
  /** The app that makes codes for an account. The secret has to be readable: codes are made of it. */
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
    /** When they showed who they are, in milliseconds; null if that was when this began. */
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
    /** Whom it is for, as the admin calls them. */
    name: string | null;
    /** The one address that may join by it; null when everybody who has the link may. */
    email: string | null;
    /** Whether the link was only mailed to that address, so that using it proves access to the mailbox. */
    is_mailed: Flag;
    /** Null when the account is deleted: then nobody can join by it any more. */
    created_by: string | null;
    created_at: number;
    expires_at: number;
    max_uses: number;
    /** How many have joined by it, deleted accounts included. */
    uses: Generated<number>;
    revoked_at: Generated<number | null>;
  };
  invitation_tags: { invitation_id: string; tag_id: string };
  /** People whom members would like to be invited, until an admin has answered. */
  proposals: { user_id: string; email: string; name: string; word: string; created_at: number };
  /** Which accounts joined by which invitation. */
  invitation_uses: { user_id: string; invitation_id: string };
};
