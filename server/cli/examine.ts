import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { listKeys } from '../files/read.ts';
import type { FileStore } from '../files/store.ts';

/** One thing that must hold, and what breaks it: ids, or sentences. */
export type Finding = { rule: string; broken: string[] };

/** How many of one kind are named. */
const shown = 20;

/** Each query yields the ids of rows that break its rule. They read the same on both engines. */
const rules: Readonly<Record<string, string>> = {
  'Like counts match the likes.': `select posts.id from posts left join likes on likes.post_id = posts.id
    group by posts.id having posts.like_count <> count(likes.user_id)`,
  'Comment counts match the comments.': `select posts.id from posts left join comments on comments.post_id = posts.id
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
  'Every account has one password.': `select users.id from users left join accounts on accounts.user_id = users.id
    group by users.id having count(accounts.id) > 1`,
  'Subscription addresses match the accounts.': `select user_id as id from subscriptions
    join users on users.id = subscriptions.user_id where subscriptions.email <> users.email`,
  'Sent emails keep no links.': `select id from mails
    where state in ('sent', 'dropped', 'failed') and data <> '{}'`,
  'Only published posts are announced.': `select posts.id from announcements join posts on posts.id = post_id
    where posts.published_at is null`,
};

/**
 * Looks for what must not be: counts that are not their rows, rows that point nowhere, files that are not there. Changes
 * nothing. Returns what is broken; empty for a site that is well.
 */
export async function examine({ db, files }: Pick<Deps, 'db' | 'files'>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await sql<{ id: string }>`${sql.raw(query)} limit ${sql.lit(shown)}`.execute(db);
    if (rows.length > 0) findings.push({ rule, broken: rows.map(row => row.id) });
  }
  const missingFromSearch = await dialectOf(db).postsMissingFromSearch(db, shown);
  if (missingFromSearch.length > 0) {
    findings.push({ rule: 'Every post is in the search index.', broken: missingFromSearch });
  }
  const damage = await dialectOf(db).integrityErrors(db);
  if (damage.length > 0) findings.push({ rule: 'The database is intact.', broken: damage });
  const missing = await missingFiles(db, files);
  if (missing.length > 0) findings.push({ rule: 'Every file exists and is intact.', broken: missing });
  return findings;
}

async function missingFiles(db: Kysely<Tables>, store: FileStore): Promise<string[]> {
  const missing: string[] = [];
  for (const { key, size } of await listKeys(db)) {
    if (missing.length < shown && (await store.size(key)) !== size) missing.push(key);
  }
  return missing;
}
