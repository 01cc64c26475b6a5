import type { Holder } from '../access/hold-rights.ts';
import type { Changed, ChangeKey, ChangeRecord } from '../db/changes/record.ts';

/** A right that is used for longer than a moment. `stop` must be called once it is not used any more. */
export type LastingRight = {
  /** Throws while nobody can tell whether it still holds (decisions.md 31). */
  check(): void;
  /** Resolves once nothing is asked any more. */
  stop(): Promise<void>;
};

/**
 * Watches over a right to a post or to what belongs to one: `ask` is called now and whenever the record of changes tells
 * of something that it may hang on, and ends it by throwing: then `end` is called. `who` is whose right it is.
 */
export function watchRight(
  changes: ChangeRecord,
  who: Holder,
  ask: () => Promise<unknown>,
  end: (reason: unknown) => void,
): LastingRight {
  let asking: Promise<void> | undefined;
  let isDue = false;
  const askUntilSettled = async () => {
    // Not within the look that tells of a change: asking looks, too.
    await null;
    try {
      while (isDue) {
        isDue = false;
        await ask();
      }
    } catch (error) {
      end(error);
    } finally {
      asking = undefined;
    }
  };
  const askAgain = () => {
    isDue = true;
    asking ??= askUntilSettled();
  };
  const stopWatching = changes.watch(changed => {
    if (mayConcern(changed, who)) askAgain();
  });
  // What changed between the first asking and the watch has been told to nobody.
  askAgain();
  return {
    check: () => {
      if (who.viewer.user !== null && changes.lostForMs !== undefined) {
        throw new Error('The database cannot be asked whether this reader may go on.');
      }
    },
    stop: async () => {
      stopWatching();
      isDue = false;
      await asking;
    },
  };
}

/** A change of any post counts: which ones a file belongs to may change as well. */
function mayConcern(changed: Changed, { viewer, credential }: Holder): boolean {
  if (changed === 'all' || changed.has('tags')) return true;
  if (viewer.user !== null && changed.has(`viewer:${viewer.user.id}`)) return true;
  if (credential !== null && changed.has(`${credential.kind}:${credential.id}`)) return true;
  return [...changed].some((key: ChangeKey) => key.startsWith('post:'));
}
