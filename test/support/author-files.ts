import { expect } from 'vitest';
import { createId } from '../../server/base/id.ts';
import { bucketPath, multipart } from './multipart.ts';
import type { Person, Site } from './site.ts';

type Uploaded = { url: string; name: string; type: string; size: number };

/** A picture of one pixel, without anything that is stripped from pictures. */
export const png = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    'base64',
  ),
);

/** As web/storage/client.ts does, but at once. */
export async function upload(
  site: Site,
  as: Person,
  name = 'river bank (1).png',
  body = png,
): Promise<Response> {
  return await site.request(bucketPath(`posts/${createId()}`), as, multipart(body, { metadata: { name } }));
}

export async function uploaded(
  site: Site,
  as: Person,
  name = 'river bank (1).png',
  body = png,
): Promise<Uploaded> {
  const response = await upload(site, as, name, body);
  expect(response.status).toBe(200);
  const { url, contentType, size } = await response.json();
  return { url, name, type: contentType, size: Number(size) };
}
