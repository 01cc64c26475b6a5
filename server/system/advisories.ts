import { text } from 'node:stream/consumers';
import compare from 'semver/functions/compare.js';
import gt from 'semver/functions/gt.js';
import gte from 'semver/functions/gte.js';
import lt from 'semver/functions/lt.js';
import { z } from 'zod';
import { bounded } from '../base/outgoing.ts';
import type { Config } from '../config.ts';
import { withCause } from '../db/outage.ts';

/** How long the list may take, in milliseconds, and how large it may be, in bytes. */
const answerWithinMs = 5_000;
const mostBytes = 1024 ** 2;

/** The used fields of an entry in the format of Open Source Vulnerabilities (ossf.github.io/osv-schema). */
const Advisory = z.object({
  id: z.string(),
  summary: z.string().default(''),
  withdrawn: z.string().optional(),
  affected: z
    .array(
      z.object({
        package: z.object({ name: z.string() }).optional(),
        versions: z.array(z.string()).default([]),
        ranges: z
          .array(z.object({ type: z.string(), events: z.array(z.record(z.string(), z.string())) }))
          .default([]),
      }),
    )
    .default([]),
});
type Advisory = z.output<typeof Advisory>;
type Range = Advisory['affected'][number]['ranges'][number];

/** The list itself, or an answer of api.osv.dev. */
const List = z.union([z.array(Advisory), z.object({ vulns: z.array(Advisory).default([]) })]);

/**
 * Sentences about known vulnerabilities of this version, from the list at ADVISORIES_URL; without that
 * setting nothing is requested.
 */
export async function advisoryWarnings(
  { advisoriesUrl }: Pick<Config, 'advisoriesUrl'>,
  version: string,
): Promise<string[]> {
  if (advisoriesUrl === undefined) return [];
  try {
    const advisories = await readAdvisories(advisoriesUrl);
    return advisories.flatMap(advisory => sentenceOf(advisory, version) ?? []);
  } catch (error) {
    const reason =
      error instanceof Error && !(error instanceof z.ZodError)
        ? withCause(error)
        : 'it is not in the OSV format';
    return [`Known vulnerabilities were not looked up: ADVISORIES_URL gave no list (${reason}).`];
  }
}

async function readAdvisories(url: string): Promise<Advisory[]> {
  const answer = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(answerWithinMs),
  });
  if (!answer.ok || answer.body === null) throw new Error(`it answers ${answer.status}`);
  const list = List.parse(JSON.parse(await text(bounded(mostBytes)(answer.body))));
  return Array.isArray(list) ? list : list.vulns;
}

/** Undefined for an advisory that does not affect the version. */
function sentenceOf({ id, summary, withdrawn, affected }: Advisory, version: string): string | undefined {
  if (withdrawn !== undefined) return undefined;
  const ours = affected.filter(entry => entry.package?.name === 'coterie');
  const ranges = ours.flatMap(entry => entry.ranges).filter(({ type }) => type === 'SEMVER');
  const range = ranges.find(({ events }) => isIn(events, version));
  if (range === undefined && !ours.some(entry => entry.versions.includes(version))) return undefined;
  const what = summary === '' ? id : `${id}, ${summary.replace(/\.$/, '')}`;
  const fixed = range?.events.flatMap(event => event.fixed ?? []).find(one => lt(version, one));
  const advice = fixed === undefined ? '' : ` Upgrade to ${fixed} or newer.`;
  return `This version of Coterie has a known vulnerability: ${what}.${advice}`;
}

/** Whether the last event up to a version introduces the vulnerability; the events come in any order. */
function isIn(events: Range['events'], version: string): boolean {
  let isAffected = false;
  for (const event of events.toSorted((a, b) => compare(placeOf(a), placeOf(b)))) {
    const { introduced, fixed, last_affected: last } = event;
    if (introduced !== undefined && gte(version, placeOf(event))) isAffected = true;
    if (fixed !== undefined && gte(version, fixed)) isAffected = false;
    if (last !== undefined && gt(version, last)) isAffected = false;
  }
  return isAffected;
}

/** The version of an event; `0` is before all others. */
function placeOf({ introduced, fixed, last_affected: last }: Range['events'][number]): string {
  return introduced === '0' ? '0.0.0-0' : (introduced ?? fixed ?? last ?? '0.0.0-0');
}
