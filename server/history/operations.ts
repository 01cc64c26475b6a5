import type { historyOperations } from '../../contract/history.ts';
import type { Handlers } from '../access/context.ts';
import { dayMs } from '../base/clock.ts';
import { readWrittenDate } from '../base/written-date.ts';
import { listHistory } from './read.ts';

function beginningOf(day: string | null | undefined, timeZone: string): number | undefined {
  return day ? readWrittenDate(day, timeZone) : undefined;
}

function endOf(day: string | null | undefined, timeZone: string): number | undefined {
  if (!day) return undefined;
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
  return beginningOf(next, timeZone);
}

export const historyHandlers: Handlers<typeof historyOperations> = {
  getHistory: async ({ db, settings }, { person, kind, from, to, after }) => {
    const { timeZone } = await settings();
    return await listHistory(
      db,
      { person, kind, since: beginningOf(from, timeZone), until: endOf(to, timeZone) },
      { after },
    );
  },
};
