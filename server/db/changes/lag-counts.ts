import type { ChangeKey } from '../../../contract/change-key.ts';
import type { ChangeRecord } from './record.ts';

/** What a cache needs of the record of changes. */
export type Changes = Pick<ChangeRecord, 'listen' | 'afterOwnWrites'>;

/**
 * The record of changes for cached pages: changes of counts reach them at most once in `ms` milliseconds, so
 * that a page is not rendered again for each like. All other changes reach them at once.
 */
export function lagCounts(changes: ChangeRecord, ms: number): Changes {
  if (ms === 0) return changes;
  return {
    afterOwnWrites: () => changes.afterOwnWrites(),
    listen: listener => {
      let later = new Set<ChangeKey>();
      const tellLater = () => {
        const due = later;
        later = new Set();
        listener(due);
      };
      return changes.listen(changed => {
        if (changed === 'all') return listener(changed);
        const now = new Set<ChangeKey>();
        for (const key of changed) {
          if (!key.startsWith('counts:')) now.add(key);
          else if (later.add(key).size === 1) setTimeout(tellLater, ms).unref();
        }
        if (now.size > 0) listener(now);
      });
    },
  };
}
