import { versionOf, versionOfTags } from '../../base/version.ts';
import { readSetting } from '../../db/setting.ts';
import { inTransaction } from '../../db/transaction.ts';
import { saveAbout, setDefaultTags } from '../../settings/write.ts';
import type { DraftSettings } from './draft.ts';
import { findImported, noteImported } from './imported.ts';
import type { ImportedItem } from './report.ts';
import type { ItemImport } from './write-person.ts';

/** Imports settings of a source that this site has not set, and only once: later changes here stay. */
export async function saveSettings(context: ItemImport, draft: DraftSettings): Promise<ImportedItem> {
  const { db, source, audienceTags, isDryRun } = context;
  const item = { kind: 'settings' as const, source: 'settings' };
  await audienceTags.tagsFor(draft.audienceNames ?? []);
  const defaults = await audienceTags.tagsFor(draft.defaultAudience ?? []);
  if ((await findImported(db, source)) !== undefined) return { ...item, outcome: 'unchanged', notes: [] };
  const notes: string[] = [];
  if (defaults.length > 0)
    notes.push(`visitors may read, as there: ${defaults.map(({ name }) => name).join(', ')}`);
  const hasAbout = ((await readSetting(db, 'about')) ?? '') !== '';
  if (draft.about && hasAbout) notes.push('the About text of this site stays');
  if (isDryRun) return { ...item, outcome: 'created', notes };
  if (draft.about && !hasAbout) await saveAbout(context, draft.about, versionOf(''));
  if (defaults.length > 0) {
    // The tags are the import's own, so this opens nothing but the imported posts.
    const ids = defaults.map(({ id }) => id);
    const rows = await db.selectFrom('default_tags').select('tag_id').execute();
    const seen = rows.map(row => row.tag_id);
    // If an admin removes one at the same moment, this is refused, and the next import tries again.
    await setDefaultTags(context, [...seen, ...ids], versionOfTags(seen));
  }
  await inTransaction(context, trx => noteImported(trx, { source, kind: 'settings', target_id: '' }));
  return { ...item, outcome: 'created', notes };
}
