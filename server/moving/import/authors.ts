import type { Kysely } from 'kysely';
import { normalEmail } from '../../../contract/accounts/email.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { nameAuthors } from '../../posts/save.ts';
import type { DraftAuthor, DraftPost } from './draft.ts';
import { findImported } from './imported.ts';
import { type ImportedItem, nameInReport } from './report.ts';
import type { ImportOptions } from './run.ts';

/** The accounts that get the posts of named authors, if the importing person has chosen them. */
export type AuthorChoices = {
  /** Accounts by the source's names for them, in lower case; null for a name that is to be nobody here. */
  byName: ReadonlyMap<string, string | null>;
  /** The account for all other names; null to look each up among the authors of this site. */
  others: string | null;
};

/** `reported` is undefined if the source names nobody, or a person of its own. */
type PostAuthor = { id: string | null; reported: ImportedItem['author'] };

type Account = { id: string; username: string };
type Writer = Account & { email: string | null };

/**
 * Finds the author of each imported post: an account of the same import, or one of this site that the source
 * names. A name gives nobody an account or a right: only authors and admins are found, by a confirmed email
 * address or by username. Never by full name: somebody who took another's full name would get their drafts.
 */
export class PostAuthors {
  readonly #context: WriteContext;
  readonly #nameOfPerson: (id: string) => string;
  readonly #options: ImportOptions;
  /** By the id of a person of the source. */
  readonly #accounts = new Map<string, string | null>();
  #writers: Promise<Writer[]> | undefined;

  /** `nameOfPerson` returns the unique name of a source's person. */
  constructor(context: WriteContext, nameOfPerson: (id: string) => string, options: ImportOptions) {
    this.#context = context;
    this.#nameOfPerson = nameOfPerson;
    this.#options = options;
  }

  /**
   * The account that is to be a post's author, and what the report says about an author whom the source
   * names.
   */
  async of({ personId, author }: DraftPost): Promise<PostAuthor> {
    const person = await this.accountOf(personId);
    if (person !== null || author === undefined) {
      return { id: person ?? this.#options.authorId, reported: undefined };
    }
    const found = await this.#find(author);
    return { id: found?.id ?? null, reported: { name: author.names[0], username: found?.username ?? null } };
  }

  /**
   * Gives a post that was imported without an author to the account that its author has now. False if there
   * is none.
   */
  async give(postId: string, { id: author, reported }: PostAuthor): Promise<boolean> {
    if (author === null || reported === undefined) return false;
    if (this.#options.isDryRun) return await this.isMissing(postId);
    return await inTransaction(this.#context, async trx => {
      const given = await trx
        .updateTable('posts')
        .set({ author_id: author })
        .where('id', '=', postId)
        .where('author_id', 'is', null)
        .returning('published_at')
        .executeTakeFirst();
      if (given !== undefined && given.published_at !== null) await nameAuthors(trx, postId);
      return given !== undefined;
    });
  }

  /** Whether an existing post has no author. */
  async isMissing(postId: string): Promise<boolean> {
    const query = this.#context.db.selectFrom('posts').select('id').where('id', '=', postId);
    return (await query.where('author_id', 'is', null).executeTakeFirst()) !== undefined;
  }

  async accountOf(personId: string | undefined): Promise<string | null> {
    if (personId === undefined) return null;
    const known = this.#accounts.get(personId);
    if (known !== undefined) return known;
    const imported = await findImported(this.#context.db, this.#nameOfPerson(personId));
    const account = imported && (await this.#account(imported.target_id));
    this.#accounts.set(personId, account?.id ?? null);
    return account?.id ?? null;
  }

  /**
   * The accounts here of people who commented on a post or liked it, by their ids in the source; null for
   * none.
   */
  async accountsOf({ comments, likes }: DraftPost): Promise<Map<string, string | null>> {
    const accounts = new Map<string, string | null>();
    for (const { personId } of [...comments, ...likes])
      if (personId !== undefined) accounts.set(personId, await this.accountOf(personId));
    return accounts;
  }

  async #find({ names, email }: DraftAuthor): Promise<Account | undefined> {
    const called = [email ?? '', ...names].map(keyOf).filter(key => key !== '');
    const { authors } = this.#options;
    const chosen = [...called, keyOf(nameInReport(names[0]))]
      .map(key => authors?.byName.get(key))
      .find(id => id !== undefined);
    if (chosen === null) return undefined;
    if (chosen !== undefined) return await this.#account(chosen);
    this.#writers ??= writersOf(this.#context.db);
    const writers = await this.#writers;
    const found =
      writers.find(writer => writer.email !== null && called.includes(writer.email)) ??
      writers.find(writer => called.includes(keyOf(writer.username)));
    return found ?? (authors?.others == null ? undefined : await this.#account(authors.others));
  }

  async #account(id: string): Promise<Account | undefined> {
    return await this.#context.db
      .selectFrom('users')
      .select(['id', 'display_username as username'])
      .where('id', '=', id)
      .executeTakeFirst();
  }
}

/** The accounts that may write posts here, by username: admins and authors. */
export async function writersOf(db: Kysely<Tables>): Promise<Writer[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'display_username', 'email', 'email_verified'])
    .where('status', '=', 'approved')
    .where(eb => eb.or([eb('is_admin', '=', true), eb('is_author', '=', true)]))
    .orderBy('username')
    .execute();
  return rows.map(row => ({
    id: row.id,
    username: row.display_username,
    // Anybody can sign up with somebody else's address.
    email: row.email_verified ? keyOf(row.email) : null,
  }));
}

/** A name or an address, ignoring case and surrounding spaces. */
export function keyOf(name: string): string {
  return normalEmail(name);
}
