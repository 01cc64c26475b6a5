import type { Logger } from 'pino';

/** What a process does again and again beside requests. */
export type Job = {
  /** The time between the end of a run and the next one, in milliseconds. */
  everyMs: number;
  /** Whether the first run begins at once, and not after `everyMs`. */
  isAtOnce?: boolean;
  /**
   * What the log says when a run throws. The next run does what was left: a database may be away for a
   * moment.
   */
  failure: string;
  /** One run. `more` asks for the next one at once. */
  run: () => Promise<unknown>;
};

/** Runs a job in the background. Returns the function that stops it, once the run under way has ended. */
export function runInBackground(
  log: Pick<Logger, 'error'>,
  { everyMs, isAtOnce = false, failure, run }: Job,
): () => Promise<void> {
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();
  const schedule = (ms: number) => {
    timer = setTimeout(() => {
      current = runOnce();
    }, ms);
  };
  const runOnce = async () => {
    let result: unknown;
    try {
      result = await run();
    } catch (error) {
      log.error({ err: error }, failure);
    }
    if (!isStopping) schedule(result === 'more' ? 0 : everyMs);
  };
  schedule(isAtOnce ? 0 : everyMs);
  return async () => {
    isStopping = true;
    clearTimeout(timer);
    await current;
  };
}
