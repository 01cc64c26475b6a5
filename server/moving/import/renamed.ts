import type { ImportedRow } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { DraftPost, Source } from './draft.ts';
import { heldBack } from './held-back.ts';
import { renameImported } from './imported.ts';
import { readDigest, wordsDigest } from './noted-digest.ts';
import type { ImportContext } from './post-files.ts';
import { storableItem } from './storable.ts';

/**
 * Finds the post of a renamed file: one with the same words and date whose own file is no longer in the
 * source. Each such post is found once, so that a copy becomes a new post.
 */
export class RenamedPosts {
  readonly #context: ImportContext;
  readonly #source: Source;
  /** The posts whose files are not in the source, by the digest of their words. */
  #missing: Promise<Map<string, ImportedRow[]>> | undefined;
  readonly #found = new Map<string, ImportedRow | undefined>();

  /** `source` has its unique name across sources. */
  constructor(context: ImportContext, source: Source) {
    this.#context = context;
    this.#source = source;
  }

  /** The record of this post under another name, if there is none under its own. */
  async find(draft: DraftPost): Promise<ImportedRow | undefined> {
    const missing = await this.#findMissing();
    if (missing.size === 0) return undefined;
    // What people have written on a post is recorded under its name.
    const isAlone = draft.comments.length + draft.likes.length === 0;
    if (isAlone && !this.#found.has(draft.id))
      this.#found.set(draft.id, missing.get(wordsDigest(draft))?.shift());
    return this.#found.get(draft.id);
  }

  /** Like {@link find}, for a post that another one links to, and which may come later. */
  async findById(id: string): Promise<ImportedRow | undefined> {
    const { unsure } = this.#source;
    if (unsure === undefined || (await this.#findMissing()).size === 0) return undefined;
    for await (const read of unsure.posts(new Set([id]))) {
      const item = heldBack(storableItem(read), this.#context.clock());
      if (item.kind === 'post' && item.id === id) return await this.find(item);
    }
    return undefined;
  }

  /** Records the new name of a post, under which its file is found from now on. */
  async rename(row: ImportedRow, source: string): Promise<void> {
    await inTransaction(this.#context, trx => renameImported(trx, row.source, source));
  }

  /** The former id of a post. */
  oldId({ source }: ImportedRow): string {
    return source.slice(this.#prefix.length);
  }

  get #prefix(): string {
    return this.#source.name === '' ? '' : `${this.#source.name}/`;
  }

  #findMissing(): Promise<Map<string, ImportedRow[]>> {
    this.#missing ??= this.#readMissing();
    return this.#missing;
  }

  async #readMissing(): Promise<Map<string, ImportedRow[]>> {
    const missing = new Map<string, ImportedRow[]>();
    const { unsure } = this.#source;
    // Posts of other sources have permanent ids.
    if (unsure === undefined) return missing;
    const present = new Set(unsure.ids);
    const rows = await this.#context.db
      .selectFrom('imported')
      .selectAll()
      .where('kind', '=', 'post')
      .where('source', 'like', `${this.#prefix.replaceAll(/[\\%_]/g, '_')}%`)
      .orderBy('source')
      .execute();
    for (const row of rows) {
      const isOwn = this.#prefix === '' ? !/^[^/]*:/.test(row.source) : row.source.startsWith(this.#prefix);
      const { words } = readDigest(row.digest);
      if (!isOwn || words === undefined || present.has(this.oldId(row))) continue;
      missing.set(words, [...(missing.get(words) ?? []), row]);
    }
    return missing;
  }
}
