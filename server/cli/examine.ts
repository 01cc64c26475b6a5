import { type Kysely, sql } from 'kysely';
import type { Config } from '../config.ts';
import { openDatabase } from '../db/connect.ts';
import { dialectOf } from '../db/dialect.ts';
import { isDamage, outages, withCause } from '../db/outage.ts';
import type { Tables } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { listKeys } from '../files/read.ts';
import { freeIn, fullDisks } from '../files/store/free-space.ts';
import { type FileStore, openFileStore } from '../files/store/store.ts';

/** A rule, and what breaks it: ids, or sentences. */
export type Finding = { rule: string; broken: string[] };

export const isIntact = 'The database is intact.';

/** At most this many findings of one rule are named. */
const shown = 20;

/** Each query yields the ids of rows that break its rule. The same SQL runs on both engines. */
const rules: Readonly<Record<string, string>> = {
  'Like counts match the likes.': `select posts.id from posts left join likes on likes.post_id = posts.id
    group by posts.id having posts.like_count <> count(likes.user_id)`,
  'Comment counts match the comments.': `select posts.id from posts left join comments on comments.post_id = posts.id
    and comments.hidden_at is null and not comments.is_deleted
    group by posts.id having posts.comment_count <> count(comments.id)`,
  'Post counts of tag combinations match the posts.': `select tag_sets.key as id from tag_sets
    left join posts on posts.tag_set_id = tag_sets.id and posts.published_at is not null
    group by tag_sets.id having tag_sets.published_count <> count(posts.id)`,
  'The storage total matches the files.': `select 'files' as id
    where coalesce((select value from totals where name = 'file-bytes'), 0) <> (select coalesce(sum(size), 0) from files)`,
  'Unfinished uploads have all their parts.': `select id from upload_sessions where file_id is null
    and received <> (select coalesce(sum(upload_parts.size), 0) from upload_parts where upload_id = upload_sessions.id)`,
  'Authors are approved, and no admins.': `select id from users where is_author and (is_admin or status <> 'approved')`,
  'Admins are approved.': `select id from users where is_admin and status <> 'approved'`,
  'Invitations count everybody who joined by them.': `select invitations.id from invitations
    join invitation_uses on invitation_uses.invitation_id = invitations.id
    group by invitations.id having count(*) > invitations.uses`,
  'Mailed invitations have an address.': `select id from invitations where is_mailed and email is null`,
  'Passkeys have a key.': `select id from passkeys where credential_id = '' or public_key = '' or counter < 0`,
  'Recovery codes belong to a second factor.': `select distinct user_id as id from recovery_codes
    where user_id not in (select user_id from second_factors)`,
  'Second factors have a secret.': `select user_id as id from second_factors where secret = ''`,
  'Imports and exports that are over say when, and nobody holds them.': `select id from transfers
    where state in ('done', 'failed', 'cancelled') and (ended_at is null or lease is not null)`,
  'Imports and exports that are not over have no end.': `select id from transfers
    where state in ('waiting', 'running', 'checked') and ended_at is not null`,
  'Answers are on the post of the comment that they answer, which answers none.': `select comments.id
    from comments join comments as parents on parents.id = comments.parent_id
    where parents.parent_id is not null or parents.post_id <> comments.post_id`,
  'Deleted comments are kept only where they have answers, and without their words.': `select id from comments
    where is_deleted and (content <> '-' or user_id is not null
      or not exists (select 1 from comments as answers where answers.parent_id = comments.id))`,
  'Imports and exports that run are held by a process.': `select id from transfers
    where state = 'running' and (lease is null or leased_until is null)`,
  'Only dry runs of imports wait to be started.': `select id from transfers
    where state = 'checked' and (kind <> 'import' or not is_dry_run)`,
  'Only exports that are done have made a file, and they name it.': `select id from transfers
    where (made is null) <> (made_key is null) or (made is not null and (kind <> 'export' or state <> 'done'))`,
  'Every account has one password.': `select user_id as id from sign_in_methods
    where provider = 'credential' group by user_id having count(*) > 1`,
  'Subscription addresses match the accounts.': `select user_id as id from subscriptions
    join users on users.id = subscriptions.user_id where subscriptions.email <> users.email`,
  'Sent emails keep no links.': `select id from mails
    where state in ('sent', 'dropped', 'failed') and data <> '{}'`,
  'Only published posts are announced.': `select posts.id from announcements join posts on posts.id = post_id
    where posts.published_at is null`,
};

/** Like {@link examine}, for the site of these settings, and with the free space on its disks. */
export async function examineSite(config: Config, roomIn = freeIn): Promise<Finding[]> {
  const full = await fullDisks(config, roomIn);
  const { db, close } = await openDatabase(config, 'nothing');
  try {
    const findings = await examine({ db, files: await openFileStore(config, db) });
    return full.length === 0 ? findings : [{ rule: 'There is room on the disk.', broken: full }, ...findings];
  } finally {
    await close();
  }
}

/**
 * Looks for wrong counts, rows that refer to missing rows, and missing files. Changes nothing. Returns what
 * is broken; empty for a site without problems.
 */
export async function examine(deps: Pick<Deps, 'db' | 'files'>): Promise<Finding[]> {
  try {
    // First: counts in a damaged database are meaningless, or cannot be read.
    const damage = await dialectOf(deps.db).integrityErrors(deps.db);
    if (damage.length > 0) return [{ rule: isIntact, broken: [outages.damaged, ...damage] }];
    return await examineWhole(deps);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [{ rule: isIntact, broken: [withCause(error)] }];
  }
}

async function examineWhole({ db, files }: Pick<Deps, 'db' | 'files'>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await sql<{ id: string }>`${sql.raw(query)} limit ${sql.lit(shown)}`.execute(db);
    findings.push({ rule, broken: rows.map(row => row.id) });
  }
  const dialect = dialectOf(db);
  findings.push(
    { rule: 'Every post is in the search index.', broken: await dialect.postSearch.missing(db, '', shown) },
    { rule: isIntact, broken: await dialect.brokenReferences(db) },
    { rule: 'Every file exists and is intact.', broken: await missingFiles(db, files) },
  );
  return findings.filter(({ broken }) => broken.length > 0);
}

async function missingFiles(db: Kysely<Tables>, store: FileStore): Promise<string[]> {
  const missing: string[] = [];
  for (const { key, size } of await listKeys(db)) {
    if (missing.length < shown && (await store.size(key)) !== size) missing.push(key);
  }
  return missing;
}
