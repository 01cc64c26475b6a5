import { minuteMs } from './use-minute.ts';

const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const;

type Words = { past: Intl.RelativeTimeFormat; now: string };

/** By language: creating them takes longer than using them. */
const known = new Map<string, Words>();

function wordsIn(language: string): Words {
  const words = known.get(language) ?? {
    past: new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
    now: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second'),
  };
  known.set(language, words);
  return words;
}

/** An elapsed time in words, such as "2 hours ago": in whole units, so never "yesterday". */
export function agoInWords(ageMs: number, language: string): string {
  const { past, now } = wordsIn(language);
  const unit = units.find(([, ms]) => ageMs >= ms);
  return unit === undefined ? now : past.format(-Math.floor(ageMs / unit[1]), unit[0]);
}
