import type { Changed, ChangeKey } from './record.ts';

export type RecordRow = { seq: number; kind: string; key: string };

/** More rows than this are not told one by one: then everything may have changed. */
export const mostRows = 2_000;

/**
 * What rows of the record tell. A row of the kind `swept` names the newest of the rows that were removed; where the look
 * before may not have seen all of these, because `isMissing` says so, everything may have changed.
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
    }
  }
  return changed;
}
