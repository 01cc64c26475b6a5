import { type Kysely, sql } from 'kysely';

/**
 * What came from elsewhere: posts, people, comments, likes and the tags that stand for an audience there, each by where it
 * came from. It stays when the thing itself is deleted, so that a second import does not bring that back. `version` is
 * the post's, as the import left it: another one since means that somebody has edited it. A comment can name an author
 * who has no account here, and an address of the old site leads to the post that was there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table imported (
      source text primary key,
      kind text not null check (kind in ('post', 'person', 'comment', 'like', 'tag', 'settings')),
      target_id text not null,
      digest text not null default '',
      version integer
    )`,
    // Until now a post that was edited in Coterie was told by the date of its last edit.
    sql`insert into imported (source, kind, target_id, digest, version)
      select imported_posts.source, 'post', imported_posts.post_id, imported_posts.digest,
        case when posts.updated_at is null then posts.version else 0 end
      from imported_posts join posts on posts.id = imported_posts.post_id`,
    sql`drop table imported_posts`,
    sql`alter table comments add column author_name text`,
    sql`create table old_addresses (
      address text primary key,
      post_id text not null references posts (id) on delete cascade
    )`,
    sql`create index old_addresses_by_post on old_addresses (post_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
