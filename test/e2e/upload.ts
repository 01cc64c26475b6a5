import type { APIRequestContext } from '@playwright/test';
import { bucketPath, multipart } from '../support/multipart.ts';

/** Uploads a file with the session of a context. Returns its address. */
export async function upload(
  as: APIRequestContext,
  name: string,
  bytes: Uint8Array | string,
  type?: string,
): Promise<string> {
  const { headers, body } = multipart(bytes, { metadata: { name } }, type);
  const answer = await as.post(bucketPath(`${Date.now()}_${name}`), { headers, data: body });
  if (!answer.ok()) throw new Error(`${name}: ${await answer.text()}`);
  return (await answer.json()).url;
}
