import type { ChangeKey } from '../../contract/change-key.ts';
import type { Holder } from '../access/viewer.ts';
import type { Changed, ChangeRecord } from '../db/changes/record.ts';

/**
 * A right that is used for longer than a moment, such as during a download. `stop` must be called in the end.
 */
export type RightWatch = {
  /** Throws while the database cannot tell whether the right still holds (decision 31). */
  check(): void;
  /** Ends the watch. Resolves once the last check has ended. */
  stop(): Promise<void>;
};

/**
 * Watches a right to a post or to something that belongs to one. `ask` checks the right: it is called now and
 * after each change that may affect it. When it throws, `end` is called with the error. `who` has the right.
 */
export function watchRight(
  changes: ChangeRecord,
  who: Holder,
  ask: () => Promise<unknown>,
  end: (reason: unknown) => void,
): RightWatch {
  let asking: Promise<void> | undefined;
  let isDue = false;
  const askUntilSettled = async () => {
    // Not within the poll that reports a change, because `ask` may need a poll itself.
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
  // The right may have changed between the first check and the beginning of the watch.
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

/** A change of any post counts, because the posts of a file may change, too. */
function mayConcern(changed: Changed, { viewer, credential }: Holder): boolean {
  if (changed === 'all' || changed.has('tags')) return true;
  if (viewer.user !== null && changed.has(`viewer:${viewer.user.id}`)) return true;
  if (credential !== null && changed.has(`${credential.kind}:${credential.id}`)) return true;
  return [...changed].some((key: ChangeKey) => key.startsWith('post:'));
}
