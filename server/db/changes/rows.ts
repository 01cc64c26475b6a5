import type { ChangeKey } from '../../../contract/change-key.ts';
import type { Changed } from './record.ts';

export type RecordRow = { seq: number; kind: string; key: string };

/** More rows than this are not read one by one: then everything counts as changed. */
export const mostRows = 2_000;

/**
 * What has changed according to rows of the record. A row of the kind `swept` names the newest of the rows
 * that were removed. If the last poll may have missed one of those, as `isMissing` tells, everything counts
 * as changed.
 */
export function changedBy(
  rows: readonly Pick<RecordRow, 'kind' | 'key'>[],
  isMissing: (swept: number) => boolean,
): Changed {
  if (rows.length > mostRows) return 'all';
  const changed = new Set<ChangeKey>();
  for (const { kind, key } of rows) {
    if (kind === 'swept') {
      if (isMissing(Number(key))) return 'all';
    } else {
      changed.add((key === '' ? kind : `${kind}:${key}`) as ChangeKey);
      if (kind === 'viewer') changed.add('viewers');
    }
  }
  return changed;
}
