import type { Database } from './connect.ts';
import { migrations } from './migrations/index.ts';
import { Outage, outages } from './outage.ts';
import { readSetting } from './setting.ts';

/** How often a process without requests reads the record of changes, in milliseconds. */
const pollEveryMs = 10_000;
/** The pause before the schema is checked again after a failed query, in milliseconds. */
const askAgainMs = 500;

/**
 * Watches whether this program may still write to the database: a newer version may have upgraded it to a
 * schema in which this program would leave columns empty. Once a poll finds that, all requests are refused,
 * and `onEnd` is called with a sentence for the person who runs the site. Returns a function that ends the
 * watch.
 */
export function guardSchema(
  { db, changes }: Pick<Database, 'db' | 'changes'>,
  onEnd: (sentence: string) => void,
): () => void {
  let isEnded = false;
  let again: NodeJS.Timeout | undefined;
  const check = (needed: string | undefined) => {
    if (isEnded || needed === undefined || Object.hasOwn(migrations, needed)) return;
    isEnded = true;
    const sentence =
      `The database has been brought to a newer schema (${needed}), which this version of Coterie must not write to. ` +
      'Start the newer version in its place.';
    changes.refuse(new Outage(outages.outdated, new Error(sentence)));
    onEnd(sentence);
  };
  // The record may report only once that anything may have changed, as after a failover, when connections
  // often fail.
  const lookUpUntilKnown = () => {
    clearTimeout(again);
    const checked = readSetting(db, 'least-writer').then(check);
    checked.catch(() => {
      if (!isEnded) again = setTimeout(lookUpUntilKnown, askAgainMs).unref();
    });
  };
  const stopListening = changes.listen(changed => {
    if (changed === 'all') lookUpUntilKnown();
    else for (const key of changed) if (key.startsWith('schema:')) check(key.slice('schema:'.length));
  });
  const timer = setInterval(() => void changes.caughtUp().catch(() => {}), pollEveryMs).unref();
  return () => {
    isEnded = true;
    stopListening();
    clearTimeout(again);
    clearInterval(timer);
  };
}
