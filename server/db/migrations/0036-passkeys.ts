import { type Kysely, sql } from 'kysely';

/** Passkeys: keys of people's devices with which they sign in. Of a key only its public half is kept. */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const no = sql.raw(engine === 'sqlite' ? '0' : 'false');
  await sql`create table passkeys (
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
  )`.execute(db);
  await sql`create index passkeys_by_user on passkeys (user_id)`.execute(db);
}
