import { sql } from 'kysely';
import type { Spelling } from './spelling.ts';

/**
 * Accounts, the ways into them, and what was decided about them. `users`, `sessions`, `accounts` and
 * `verifications` have the columns of better-auth, which the first versions used. What opens an account is
 * stored as a digest, but for sessions and second factors.
 */
export const accounts = ({ authTime, yes, no }: Spelling) => [
  sql`create table users (
    id text primary key,
    username text not null unique check (username = lower(username)),
    display_username text not null,
    name text not null,
    email text not null,
    email_verified boolean not null default ${no},
    image text,
    status text not null default 'pending' check (status in ('pending', 'approved', 'denied')),
    approved_at bigint,
    denied_at bigint,
    is_admin boolean not null default ${no},
    is_author boolean not null default ${no},
    introduction text,
    created_at ${authTime} not null,
    updated_at ${authTime} not null,
    check (is_admin = ${no} or status = 'approved'),
    check (status <> 'approved' or approved_at is not null),
    check (status <> 'denied' or denied_at is not null)
  )`,
  sql`create unique index users_email on users (lower(email))`,
  // For two lists of admins: accounts by name, and pending ones in the order of their sign-up.
  sql`create index users_by_status on users (status, username)`,
  sql`create index users_by_waiting on users (status, created_at, id)`,

  // The password is a row with the provider 'credential'; an account at an OpenID Connect provider is
  // another.
  sql`create table accounts (
    id text primary key,
    account_id text not null,
    provider_id text not null,
    user_id text not null references users (id) on delete cascade,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at ${authTime},
    refresh_token_expires_at ${authTime},
    scope text,
    created_at ${authTime} not null,
    updated_at ${authTime} not null,
    unique (provider_id, account_id)
  )`,
  sql`create index accounts_by_user on accounts (user_id)`,

  sql`create table sessions (
    id text primary key,
    token text not null unique,
    user_id text not null references users (id) on delete cascade,
    is_long boolean not null default ${yes},
    password_given_at bigint,
    ip_address text,
    user_agent text,
    expires_at ${authTime} not null,
    created_at ${authTime} not null,
    updated_at ${authTime} not null
  )`,
  sql`create index sessions_by_user on sessions (user_id)`,

  sql`create table known_browsers (
    digest text primary key,
    user_id text not null references users (id) on delete cascade,
    used_at bigint not null
  )`,
  sql`create index known_browsers_by_user on known_browsers (user_id)`,
  sql`create index known_browsers_by_use on known_browsers (used_at)`,

  sql`create table verifications (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at ${authTime} not null,
    created_at ${authTime} not null,
    updated_at ${authTime} not null
  )`,
  sql`create index verifications_by_identifier on verifications (identifier)`,

  // Links in mails, each for one use.
  sql`create table email_links (
    digest text primary key,
    user_id text not null references users (id) on delete cascade,
    email text not null,
    purpose text not null default 'confirm',
    expires_at bigint not null
  )`,
  sql`create index email_links_by_user on email_links (user_id)`,
  sql`create index email_links_by_expiry on email_links (expires_at)`,

  sql`create table passkeys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    credential_id text not null unique,
    public_key text not null,
    counter bigint not null default 0,
    transports text not null default '',
    is_synced boolean not null default ${no},
    created_at bigint not null,
    last_used_at bigint
  )`,
  sql`create index passkeys_by_user on passkeys (user_id)`,

  sql`create table second_factors (
    user_id text primary key references users (id) on delete cascade,
    secret text not null,
    last_step bigint not null,
    created_at bigint not null
  )`,
  sql`create table recovery_codes (
    digest text primary key,
    user_id text not null references users (id) on delete cascade
  )`,
  sql`create index recovery_codes_by_user on recovery_codes (user_id)`,

  // A sign-in that still needs a code is not stored as a session, so nothing can mistake it for one.
  sql`create table pending_sign_ins (
    digest text primary key,
    user_id text not null references users (id) on delete cascade,
    is_long boolean not null default ${yes},
    expires_at bigint not null
  )`,
  sql`create index pending_sign_ins_by_user on pending_sign_ins (user_id)`,
  sql`create index pending_sign_ins_by_end on pending_sign_ins (expires_at)`,

  sql`create table access_tokens (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    digest text not null unique,
    scopes text not null default 'read write files',
    created_at bigint not null,
    expires_at bigint,
    last_used_at bigint,
    last_used_from text
  )`,
  sql`create index access_tokens_by_user on access_tokens (user_id)`,

  // Does not refer to an account: a denied person who deletes the account and signs up again is recognised by
  // the address.
  sql`create table denials (
    digest text primary key,
    user_id text not null,
    denied_at bigint not null
  )`,
  sql`create index denials_by_user on denials (user_id)`,

  sql`create table undoable_decisions (
    user_id text primary key references users (id) on delete cascade,
    decided_at bigint not null,
    before text not null
  )`,
  sql`create index undoable_decisions_by_time on undoable_decisions (decided_at)`,
];

/** Invitations, and who joined by them. The tables of tags must exist before. */
export const invitations = ({ no }: Spelling) => [
  sql`create table invitations (
    id text primary key,
    digest text not null unique,
    name text,
    email text,
    is_mailed boolean not null default ${no},
    created_by text references users (id) on delete set null,
    created_at bigint not null,
    expires_at bigint not null,
    max_uses integer not null check (max_uses > 0),
    uses integer not null default 0 check (uses <= max_uses),
    revoked_at bigint,
    check (email is null or max_uses = 1)
  )`,
  sql`create index invitations_by_creator on invitations (created_by)`,
  sql`create index invitations_by_time on invitations (created_at, id)`,
  sql`create index invitations_by_email on invitations (email) where email is not null`,

  sql`create table invitation_tags (
    invitation_id text not null references invitations (id) on delete cascade,
    tag_id text not null references tags (id),
    primary key (invitation_id, tag_id)
  )`,
  sql`create index invitation_tags_by_tag on invitation_tags (tag_id)`,

  sql`create table invitation_uses (
    user_id text primary key references users (id) on delete cascade,
    invitation_id text not null references invitations (id) on delete cascade
  )`,
  sql`create index invitation_uses_by_invitation on invitation_uses (invitation_id)`,
];
