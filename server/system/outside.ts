import project from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { advisoryWarnings } from './advisories.ts';
import { proxyWarnings } from './proxy.ts';

/** How long answers of others are shown before they are requested again. Milliseconds. */
const shownForMs = 10 * 60_000;

let last: { at: number; of: Config; found: Promise<string[]> } | undefined;

/**
 * Warnings from the proxies in front of the site and the list of known vulnerabilities, checked now and then.
 */
export function outsideWarnings(config: Config, now: number): Promise<string[]> {
  if (last === undefined || last.of !== config || now - last.at > shownForMs)
    last = { at: now, of: config, found: askOutside(config) };
  return last.found;
}

/** Like {@link outsideWarnings}, checked now. */
export async function askOutside(config: Config): Promise<string[]> {
  const found = await Promise.all([advisoryWarnings(config, project.version), proxyWarnings(config)]);
  return found.flat();
}
