import type { APIRequestContext } from '@playwright/test';
import type { Input, OperationName, Output } from '../../contract/operations.ts';

/** Calls an operation with the session of a context. Throws the server's error. */
export async function callAs<Name extends OperationName>(
  as: APIRequestContext,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const { error, result } = await (await as.post(`/api/${name}`, { data: { data: input } })).json();
  if (error !== undefined) throw new Error(`${name}: ${error.message}`);
  return result;
}

/** Stores a file by the storage protocol. Returns its address. */
export async function upload(as: APIRequestContext, name: string, bytes: Buffer): Promise<string> {
  const boundary = 'coterie-screenshots';
  const metadata = JSON.stringify({ metadata: { name } });
  const head = `--${boundary}\r\ncontent-type: application/json\r\n\r\n${metadata}\r\n--${boundary}\r\ncontent-type: application/octet-stream\r\n\r\n`;
  const path = `posts/${Date.now()}_${name.replaceAll(/[^A-Za-z0-9.]/g, '_')}`;
  const answer = await as.post(`/v0/b/-/o?name=${encodeURIComponent(path)}`, {
    data: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)]),
    headers: {
      'content-type': `multipart/related; boundary=${boundary}`,
      'x-goog-upload-protocol': 'multipart',
    },
  });
  if (!answer.ok()) throw new Error(`${name}: ${await answer.text()}`);
  const { url } = await answer.json();
  return url;
}
