import { callOf, type Person, type Site } from './site.ts';

/**
 * Asks as somebody. Returns all by which they could tell two answers apart: status, where it leads, ETag and
 * body.
 */
export async function ask(s: Site, as: Person, path: string, data?: unknown): Promise<string> {
  const response = await s.request(path, as, {
    redirect: 'manual',
    ...(data !== undefined && callOf(data)),
  });
  return `${response.status} ${response.headers.get('location')} ${response.headers.get('etag')} ${await response.text()}`;
}
