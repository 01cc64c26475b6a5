import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { DraftAuthor } from './draft.ts';

/** The accounts that get the posts of named authors, where the person who imports has chosen them. */
export type AuthorChoices = {
  /** Accounts by the name that a source has for them, in lower case. */
  byName: ReadonlyMap<string, string>;
  /** The account for all other names; null where each is looked up among the authors of this site. */
  others: string | null;
};

type Writer = { id: string; username: string; names: readonly string[]; email: string | null };

/**
 * Finds the accounts of authors whom a source names. Nobody gets an account or a right by a name: only authors and admins
 * are found, by a confirmed email address, by username, or by a full name that only one of them has.
 */
export class AuthorsHere {
  readonly #db: Kysely<Tables>;
  readonly #choices: AuthorChoices;
  #writers: Promise<Writer[]> | undefined;

  constructor(db: Kysely<Tables>, choices: AuthorChoices = { byName: new Map(), others: null }) {
    this.#db = db;
    this.#choices = choices;
  }

  /** The account of an author; null where there is none. */
  async find({ names, email }: DraftAuthor): Promise<{ id: string; username: string } | null> {
    const called = [email ?? '', ...names].map(keyOf).filter(key => key !== '');
    const { byName, others } = this.#choices;
    const chosen = called.map(key => byName.get(key)).find(id => id !== undefined);
    if (chosen !== undefined) return await this.#account(chosen);
    this.#writers ??= writersOf(this.#db);
    const writers = await this.#writers;
    const found =
      writers.find(writer => writer.email !== null && called.includes(writer.email)) ??
      writers.find(writer => called.includes(keyOf(writer.username))) ??
      only(writers.filter(writer => writer.names.some(name => called.includes(name))));
    if (found !== undefined) return found;
    return others === null ? null : await this.#account(others);
  }

  async #account(id: string): Promise<{ id: string; username: string } | null> {
    const row = await this.#db
      .selectFrom('users')
      .select(['id', 'display_username as username'])
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }
}

async function writersOf(db: Kysely<Tables>): Promise<Writer[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'display_username', 'name', 'email', 'email_verified'])
    .where('status', '=', 'approved')
    .where(eb => eb.or([eb('is_admin', '=', true), eb('is_author', '=', true)]))
    .execute();
  return rows.map(row => ({
    id: row.id,
    username: row.display_username,
    names: [keyOf(row.name)],
    // Anybody can sign up with somebody else's address.
    email: row.email_verified ? keyOf(row.email) : null,
  }));
}

const only = <T>(all: readonly T[]) => (all.length === 1 ? all[0] : undefined);

/** Without regard to case and spaces around. */
export function keyOf(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
