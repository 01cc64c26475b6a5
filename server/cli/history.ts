import { Command } from 'commander';
import { AppError } from '../../contract/errors.ts';
import type { HistoryEntry } from '../../contract/history.ts';
import { sentenceOf, wayOf } from '../../contract/history-sentence.ts';
import { readWrittenDate } from '../base/written-date.ts';
import { listHistory } from '../history/read.ts';
import { print } from './print.ts';
import { withDeps } from './with-deps.ts';

type HistoryOptions = { user?: string; since?: string; json?: boolean };

/** Entries on one page. */
const atOnce = 500;

/** `coterie history`: the history of rights, newest first, as lines or as one JSON value per line. */
export function historyCommand(): Command {
  return new Command('history')
    .description('print the history of rights: who decided what about whom, newest first')
    .option('--user <username>', 'only what this person did, and what was done about them')
    .option('--since <date>', "only from this day or moment on, in the site's time zone")
    .option('--json', 'one JSON value on each line')
    .action(async ({ user, since, json }: HistoryOptions) => {
      await withDeps('nothing', async ({ db, settings }) => {
        const { timeZone } = await settings();
        const filter = {
          username: user,
          since: since === undefined ? undefined : momentOf(since, timeZone),
        };
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof listHistory>> = await listHistory(db, filter, {
            after,
            limit: atOnce,
          });
          for (const entry of page.entries) print(json === true ? JSON.stringify(entry) : lineOf(entry));
          after = page.nextCursor;
        } while (after !== null);
      });
    });
}

function momentOf(text: string, timeZone: string): number {
  const moment = readWrittenDate(text, timeZone);
  if (moment === undefined)
    throw new AppError('invalid-argument', `${text} is not a date. Write it like 2026-01-31.`);
  return moment;
}

const lineOf = (entry: HistoryEntry) => [entry.at, sentenceOf(entry), wayOf(entry)].join('\t');
