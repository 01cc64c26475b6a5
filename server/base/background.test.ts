import { pino } from 'pino';
import { expect, it } from 'vitest';
import { runInBackground } from './background.ts';

/** A log that stores its lines. */
function keptLog() {
  const lines: { msg: string; err: { message: string } }[] = [];
  return { lines, log: pino({ base: null }, { write: line => lines.push(JSON.parse(line)) }) };
}

it('a job in the background runs again after it has failed, and the log says what failed', async () => {
  const { lines, log } = keptLog();
  const second = Promise.withResolvers<void>();
  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs === 1) throw new Error('away');
    second.resolve();
  };
  const stop = runInBackground(log, { everyMs: 1, failure: 'nothing was swept', run });
  await second.promise;
  await stop();
  expect(lines).toMatchObject([{ msg: 'nothing was swept', err: { message: 'away' } }]);
});

it('a job in the background is stopped only once the run under way has ended, whatever has failed beside it', async () => {
  const { lines, log } = keptLog();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  let hasEnded = false;
  const slow = async () => {
    begun.resolve();
    await end.promise;
    hasEnded = true;
  };
  const fails = async () => {
    failed.resolve();
    throw new Error('away');
  };
  const jobs = [slow, fails].map(run => ({ everyMs: 3_600_000, isAtOnce: true, failure: run.name, run }));
  const stops = jobs.map(job => runInBackground(log, job));
  await Promise.all([begun.promise, failed.promise]);
  const stopped = Promise.all(stops.map(stop => stop())).then(() => hasEnded);
  end.resolve();
  expect(await stopped).toBe(true);
  expect(lines.map(line => line.msg)).toEqual(['fails']);
});

it('a job with more to do runs again at once, and waits when there is nothing left', async () => {
  const done = Promise.withResolvers<void>();
  let left = 3;
  const run = async () => {
    left -= 1;
    if (left > 0) return 'more';
    done.resolve();
    return undefined;
  };
  const stop = runInBackground(keptLog().log, { everyMs: 3_600_000, isAtOnce: true, failure: '', run });
  await done.promise;
  await stop();
  expect(left).toBe(0);
});
