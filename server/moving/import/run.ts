import { ahead } from './ahead.ts';
import type { AuthorChoices } from './authors.ts';
import type { DraftItem, Source } from './draft.ts';
import { heldBack } from './held-back.ts';
import { nameOfSource } from './identity.ts';
import { ImportRun, type Prepared } from './import-run.ts';
import { titleOfDraft } from './openness.ts';
import { discardFiles, type ImportContext } from './post-files.ts';
import { reasonOf } from './refused.ts';
import type { ImportedItem } from './report.ts';
import { storableItem } from './storable.ts';

export type ImportOptions = {
  authorId: string | null;
  /** The accounts that get the posts of named authors. */
  authors?: AuthorChoices | undefined;
  /** Whether it only reports what would happen, and writes nothing. */
  isDryRun: boolean;
  /** Whether to remove tags that the source has removed, as an admin has confirmed. */
  isOpening?: boolean | undefined;
  /**
   * Whether published posts that the source restricts to nobody come without tags that would restrict them
   * here.
   */
  leavesTagsOut?: boolean | undefined;
  /**
   * Whether admins of the source are approved members here: whoever made its files would choose an admin of
   * this site, and their password.
   */
  makesNoAdmins?: boolean | undefined;
};

/** How many items are read and rendered while an earlier one is saved. */
const itemsAhead = 4;

/**
 * Saves the items of a source, each in a transaction of its own, so that an unreadable one stops no other,
 * and yields the outcome of each. An item is decided about once the previous one is saved: whether a tag is
 * free for a group, for example. A second run imports what is new and what has changed; after an
 * interruption, it continues. Throws an outage, so that nothing is left out because of it, and the errors of
 * `holdRights`.
 */
export async function* runImport(
  context: ImportContext,
  source: Source,
  options: ImportOptions,
): AsyncGenerator<ImportedItem> {
  let lost: unknown;
  const holdRights: ImportContext['holdRights'] = async trx => {
    try {
      await context.holdRights(trx);
    } catch (error) {
      lost = error;
      throw error;
    }
  };
  const held = { ...context, holdRights };
  try {
    const run = new ImportRun(held, { ...source, name: await nameOfSource(held, source) }, options);
    for await (const { item, made } of ahead(itemsOf(source, context.clock), itemsAhead, one =>
      run.prepare(one),
    )) {
      let prepared: Prepared | undefined;
      try {
        prepared = await made;
        const saved = await run.save(prepared);
        await run.noteSource();
        yield saved;
      } catch (error) {
        if (error === lost) throw error;
        const reason = reasonOf(error);
        const post = item.kind === 'post' && { post: { title: titleOfDraft(item) } };
        yield { kind: kindOf(item), source: idOf(item), outcome: 'skipped', reason, notes: [], ...post };
      } finally {
        // A site may have more pictures than this disk has space for.
        if (prepared !== undefined && 'found' in prepared) await discardFiles(prepared.found);
      }
    }
  } finally {
    await source.close?.();
  }
}

async function* itemsOf(source: Source, clock: ImportContext['clock']): AsyncGenerator<DraftItem> {
  for await (const item of source.items()) yield heldBack(storableItem(item), clock());
}

const kindOf = ({ kind }: DraftItem): ImportedItem['kind'] => (kind === 'refused' ? 'other' : kind);
const idOf = (item: DraftItem): string => ('id' in item ? item.id : item.kind);
