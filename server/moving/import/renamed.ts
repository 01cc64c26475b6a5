import type { ImportedRow } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { DraftPost, Source } from './draft.ts';
import { heldBack } from './held-back.ts';
import { isOfSource, renameImported } from './imported.ts';
import { readDigest, wordsDigest } from './noted-digest.ts';
import type { ImportContext } from './post-files.ts';
import { storableItem } from './storable.ts';
import { namedComments } from './write-comments.ts';

/**
 * Finds the post of a renamed file whose own file is no longer in the source: by the id in an export of
 * Coterie, or by its words and date. Each such post is found once, so that a copy becomes a new post.
 */
export class RenamedPosts {
  readonly #context: ImportContext;
  readonly #source: Source;
  /** The posts whose files are not in the source, by their ids and by the digests of their words. */
  #missing: Promise<Map<string, ImportedRow[]>> | undefined;
  readonly #found = new Map<string, ImportedRow | undefined>();
  readonly #taken = new Set<ImportedRow>();
  readonly #here = new Set<string>();

  /** `source` has its unique name across sources. */
  constructor(context: ImportContext, source: Source) {
    this.#context = context;
    this.#source = source;
  }

  /** The record of this post under another name, if there is none under its own. */
  async find(draft: DraftPost): Promise<ImportedRow | undefined> {
    const missing = await this.#findMissing();
    if (missing.size === 0) return undefined;
    if (!this.#found.has(draft.id)) this.#found.set(draft.id, this.#take(draft, missing));
    return this.#found.get(draft.id);
  }

  #take(draft: DraftPost, missing: ReadonlyMap<string, ImportedRow[]>): ImportedRow | undefined {
    const { keepId, comments, likes } = draft;
    // Without an id, words that another post may have as well give nobody its comments and likes.
    if (keepId === undefined && comments.length + likes.length > 0) return undefined;
    const found = [...(missing.get(idKey(keepId)) ?? []), ...(missing.get(wordsDigest(draft)) ?? [])];
    const row = found.find(one => !this.#taken.has(one));
    if (row !== undefined) this.#taken.add(row);
    return row;
  }

  /** Whether the record under the name of this post is of another one, and this one is here as well. */
  async isOfAnother(own: ImportedRow, { keepId }: DraftPost): Promise<boolean> {
    if (keepId === undefined || own.target_id === keepId) return false;
    await this.#findMissing();
    return this.#here.has(keepId);
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

  /** Records the new name of a post, under which its file and its comments are found from now on. */
  async rename(row: ImportedRow, { comments }: DraftPost, source: string): Promise<void> {
    await inTransaction(this.#context, async trx => {
      await renameImported(trx, row.source, source);
      for (const { name } of namedComments(row.source, comments))
        await renameImported(trx, name, `${source}${name.slice(row.source.length)}`);
    });
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
      const { words } = readDigest(row.digest);
      if (!isOfSource(row.source, this.#source.name)) continue;
      this.#here.add(row.target_id);
      if (present.has(this.oldId(row))) continue;
      for (const key of [idKey(row.target_id), ...(words === undefined ? [] : [words])])
        missing.set(key, [...(missing.get(key) ?? []), row]);
    }
    return missing;
  }
}

const idKey = (id: string | undefined) => `id ${id}`;
