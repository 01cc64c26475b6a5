import { AppError } from '../../contract/errors.ts';
import { areSameTags, versionOf, versionOfTags } from '../base/version.ts';
import { readSetting, writeSetting } from '../db/setting.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../history/write.ts';
import { renderText } from '../markdown/render-text.ts';
import type { About } from './read.ts';

/**
 * Saves the About text with its rendering. Throws invalid-argument for a text that is nested too deeply, and
 * aborted if somebody has changed it since `version`.
 */
export async function saveAbout(context: WriteContext, content: string, version?: string): Promise<About> {
  const rendered = await renderText(content, { idPrefix: 'about-', by: context.by?.user?.id });
  await inTransaction(context, async trx => {
    // Written first, so that a concurrent save waits here.
    await writeSetting(trx, 'about-html', rendered.html);
    await writeSetting(trx, 'about-text', rendered.text);
    await writeSetting(trx, 'about-readable', rendered.readable);
    const current = (await readSetting(trx, 'about')) ?? '';
    if (version !== undefined && current !== content && version !== versionOf(current)) {
      throw new AppError('aborted', 'Somebody else has changed the About text in the meantime.');
    }
    await writeSetting(trx, 'about', content);
  });
  return { content, ...rendered };
}

/**
 * Replaces the default tags by these. Throws aborted if somebody has changed them since the admin opened
 * them, so that nobody opens or closes posts without knowing of that change.
 */
export async function setDefaultTags(
  context: WriteContext,
  tagIds: readonly string[],
  version?: string,
): Promise<void> {
  await inTransaction(context, async trx => {
    // Written first, so that a concurrent change waits here.
    await writeSetting(trx, 'default-tags', String(context.clock()));
    const rows = await trx.selectFrom('default_tags').select('tag_id').execute();
    const before = rows.map(row => row.tag_id);
    if (version !== undefined && !areSameTags(before, tagIds) && version !== versionOfTags(before)) {
      throw new AppError('aborted', 'Somebody else has changed the default tags in the meantime.');
    }
    const current = new Set(before);
    const wanted = new Set(tagIds);
    const change = await differenceOfTags(trx, current, wanted);
    if (change.gave.length + change.took.length === 0) return;
    await recordHistory(trx, context, { kind: 'default-tags-changed', ...change });
    // The others stay: a deleted and inserted row would look lost to a transaction that waits for it.
    const lost = [...current].filter(id => !wanted.has(id));
    const added = [...wanted].filter(id => !current.has(id));
    if (lost.length > 0) await trx.deleteFrom('default_tags').where('tag_id', 'in', lost).execute();
    if (added.length > 0) {
      await trx
        .insertInto('default_tags')
        .values(added.map(tag_id => ({ tag_id })))
        .execute();
    }
  });
}
