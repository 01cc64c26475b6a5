import type { WriteContext } from '../db/transaction.ts';
import { type AuthorChoices, AuthorsHere } from './authors.ts';
import type { DraftPost } from './draft.ts';
import { findImported } from './imported.ts';
import type { ImportedItem } from './report.ts';
import { giveAuthor } from './write-post.ts';

/** `told` is undefined where the source names no author but a person of its own, or nobody. */
type PostAuthor = { id: string | null; told: ImportedItem['author'] };

type Choices = {
  /** The account that gets posts whose source names no author; null for no account. */
  authorId: string | null;
  authors?: AuthorChoices | undefined;
  isDryRun: boolean;
};

/** Finds the author of each imported post: an account of the same import, or one of this site that the source names. */
export class PostAuthors {
  readonly #context: WriteContext;
  readonly #nameOfPerson: (id: string) => string;
  readonly #choices: Choices;
  readonly #here: AuthorsHere;
  readonly #accounts = new Map<string, string | null>();

  /** `nameOfPerson` names a person of the source among all sources. */
  constructor(context: WriteContext, nameOfPerson: (id: string) => string, choices: Choices) {
    this.#context = context;
    this.#nameOfPerson = nameOfPerson;
    this.#choices = choices;
    this.#here = new AuthorsHere(context.db, choices.authors);
  }

  /** The account that a post is to have as its author, and what the report says of an author whom the source names. */
  async of({ personId, author }: DraftPost): Promise<PostAuthor> {
    const person = await this.accountOf(personId);
    if (person !== null || author === undefined) {
      return { id: person ?? this.#choices.authorId, told: undefined };
    }
    const found = await this.#here.find(author);
    return { id: found?.id ?? null, told: { name: author.names[0], username: found?.username ?? null } };
  }

  /** Gives a post that was imported without an author to the account that has the author's name by now. Returns whether there was one. */
  async give(postId: string, { id: author, told }: PostAuthor): Promise<boolean> {
    if (author === null || told === undefined) return false;
    if (!this.#choices.isDryRun) return await giveAuthor(this.#context, postId, author);
    const query = this.#context.db
      .selectFrom('posts')
      .select('id')
      .where('id', '=', postId)
      .where('author_id', 'is', null);
    return (await query.executeTakeFirst()) !== undefined;
  }

  /** The account here of a person of the source. */
  async accountOf(personId: string | undefined): Promise<string | null> {
    if (personId === undefined) return null;
    const known = this.#accounts.get(personId);
    if (known !== undefined) return known;
    const imported = await findImported(this.#context.db, this.#nameOfPerson(personId));
    const user =
      imported &&
      (await this.#context.db
        .selectFrom('users')
        .select('id')
        .where('id', '=', imported.target_id)
        .executeTakeFirst());
    this.#accounts.set(personId, user?.id ?? null);
    return user?.id ?? null;
  }
}
