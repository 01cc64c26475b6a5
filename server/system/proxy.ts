import type { Config } from '../config.ts';
import { withCause } from '../db/outage.ts';

/** Milliseconds. */
const answerWithinMs = 5_000;

/**
 * Sentences about the proxies between readers and the site, which requests a non-cacheable stream from itself
 * twice through PUBLIC_URL: the same first line twice comes from a cache, and an end together with the first
 * line from a buffer.
 */
export async function proxyWarnings({
  publicUrl,
  hasPublicUrl,
}: Pick<Config, 'publicUrl' | 'hasPublicUrl'>): Promise<string[]> {
  if (!hasPublicUrl) return [];
  try {
    const first = await readCheck(publicUrl);
    const second = await readCheck(publicUrl);
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

/** The first line of the stream, and whether its end arrived with it. */
async function readCheck(publicUrl: string): Promise<{ line: string; isWhole: boolean }> {
  const answer = await fetch(`${publicUrl}/proxy-check`, {
    // A signed-in reader: many caches skip such readers.
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
