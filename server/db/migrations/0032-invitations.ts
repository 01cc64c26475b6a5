import { type Kysely, sql } from 'kysely';

/**
 * Invitations: links by which somebody joins without waiting for approval. Of the link only a digest is kept. An account
 * knows by which invitation it came.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const no = sql.raw(engine === 'sqlite' ? '0' : 'false');
  const statements = [
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
  for (const statement of statements) await statement.execute(db);
}
