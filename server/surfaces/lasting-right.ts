import type { Holder } from '../access/hold-rights.ts';
import type { Changed, ChangeKey, ChangeRecord } from '../db/changes/record.ts';

/** A right that is used for longer than a moment. `stop` must be called once it is not used any more. */
export type LastingRight = {
  /** Aborted once the right has ended. */
  ended: AbortSignal;
  /** Throws once the right has ended, or while nobody can tell (decisions.md 31). */
  check(): void;
  stop(): void;
};

/**
 * Watches over a right to a post or to what belongs to one: `ask` is called now and whenever the record of changes tells
 * of something that it may hang on, and ends it by throwing. `who` is whose right it is.
 */
export function watchRight(changes: ChangeRecord, who: Holder, ask: () => Promise<unknown>): LastingRight {
  const ending = new AbortController();
  let isAsking = false;
  let isDue = false;
  const askAgain = async () => {
    isDue = true;
    if (isAsking) return;
    isAsking = true;
    try {
      while (isDue) {
        isDue = false;
        await ask();
      }
    } catch (error) {
      ending.abort(error);
    } finally {
      isAsking = false;
    }
  };
  const stop = changes.watch(changed => {
    if (mayConcern(changed, who)) void askAgain();
  });
  // What changed between the first asking and the watch has been told to nobody.
  void askAgain();
  return {
    ended: ending.signal,
    check: () => {
      ending.signal.throwIfAborted();
      if (who.viewer.user !== null && changes.lostForMs !== undefined) {
        throw new Error('The database cannot be asked whether this reader may go on.');
      }
    },
    stop,
  };
}

/** A change of any post counts: which ones a file belongs to may change as well. */
function mayConcern(changed: Changed, { viewer, credential }: Holder): boolean {
  if (changed === 'all' || changed.has('tags')) return true;
  if (viewer.user !== null && changed.has(`viewer:${viewer.user.id}`)) return true;
  if (credential !== null && changed.has(`${credential.kind}:${credential.id}`)) return true;
  return [...changed].some((key: ChangeKey) => key.startsWith('post:'));
}
