import type { Config } from '../config.ts';
import { withCause } from '../db/outage.ts';

/** How long an answer may take, and for how long what was found is not asked for again. Milliseconds. */
const answerWithinMs = 5_000;
const foundForMs = 10 * 60_000;

/**
 * Sentences about the proxies between readers and the site, which asks itself twice through PUBLIC_URL for a
 * stream that none may store: the same first line twice comes from a cache, and the end beside the first line
 * from a buffer.
 */
export async function proxyWarnings({
  publicUrl,
  hasPublicUrl,
}: Pick<Config, 'publicUrl' | 'hasPublicUrl'>): Promise<string[]> {
  if (!hasPublicUrl) return [];
  try {
    const [first, second] = [await readCheck(publicUrl), await readCheck(publicUrl)];
    const found = {
      'A proxy caches private answers: it may show pages of one member to others. Let it store only what is public.':
        first.line === second.line,
      'A proxy holds streams back: comments reach open pages late, or not at all. Turn its buffering off.':
        first.isWhole,
    };
    return Object.entries(found).flatMap(([sentence, isFound]) => (isFound ? [sentence] : []));
  } catch (error) {
    const reason = error instanceof Error ? withCause(error) : error;
    return [`The proxy was not checked: ${publicUrl} did not answer this machine (${reason}).`];
  }
}

let last: { at: number; of: string; found: Promise<string[]> } | undefined;

/** As {@link proxyWarnings}, asked now and then. */
export function knownProxyWarnings(config: Config, now: number): Promise<string[]> {
  if (last === undefined || last.of !== config.publicUrl || now - last.at > foundForMs)
    last = { at: now, of: config.publicUrl, found: proxyWarnings(config) };
  return last.found;
}

/** The first line of the stream, and whether its end came with it. */
async function readCheck(publicUrl: string): Promise<{ line: string; isWhole: boolean }> {
  const answer = await fetch(`${publicUrl}/proxy-check`, {
    // A reader who is signed in: many caches leave such readers alone.
    headers: { cookie: 'proxy-check=1' },
    redirect: 'error',
    signal: AbortSignal.timeout(answerWithinMs),
  });
  if (!answer.ok || answer.body === null) throw new Error(`it answers ${answer.status}`);
  const reader = answer.body.getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  const [line = ''] = text.split('\n');
  // A gateway may answer with a page of its own.
  if (!line.startsWith('data: ')) throw new Error('the answer is not from this site');
  return { line, isWhole: text.includes('data: end') };
}
