import type { Logger } from 'pino';

/** Work that a process repeats besides requests. */
export type Job = {
  /** The pause between two runs, in milliseconds. */
  everyMs: number;
  /** Whether the first run begins at once rather than after `everyMs`. */
  isAtOnce?: boolean;
  /**
   * The log message when a run throws. The next run does what was left: the database may be away for a
   * moment.
   */
  failure: string;
  /** One run. `more` asks for another at once. */
  run: () => Promise<unknown>;
};

/** Runs a job in the background. Returns a function that stops it and waits for the current run. */
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
