import { dayMs } from '../../base/clock.ts';

/** When somebody gets a digest: every day, or every Monday, at an hour of the site's time zone. */
export type Slot = { rhythm: 'daily' | 'weekly'; hour: number };

/** Time zones differ from UTC by whole quarters of an hour. */
const stepMs = 15 * 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The last moment, now or before, at which digests of this kind were due. */
export function lastSlot(now: number, { rhythm, hour }: Slot, timeZone: string): number {
  const wanted = (time: number) => {
    const parts = partsOf(time, timeZone);
    return parts.minute === 0 && parts.hour === hour && (rhythm === 'daily' || parts.weekday === 'Mon');
  };
  const first = Math.floor(now / stepMs) * stepMs;
  // A day on which the clock skips this hour has no digest; the next one holds its posts.
  for (let time = first; time > first - 16 * dayMs; time -= stepMs) if (wanted(time)) return time;
  return 0;
}

function partsOf(time: number, timeZone: string): { weekday: string; hour: number; minute: number } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone,
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return {
    weekday: parts.get('weekday') ?? '',
    hour: Number(parts.get('hour')),
    minute: Number(parts.get('minute')),
  };
}
