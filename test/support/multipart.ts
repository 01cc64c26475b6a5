/** The name under which a file may be uploaded. */
const uploaded = (name: string) => (name.startsWith('posts/') ? name : `posts/${name}`);
export const objectPath = (name: string) => `/v0/b/coterie/o/${encodeURIComponent(uploaded(name))}`;
export const bucketPath = (name: string) => `/v0/b/coterie/o?name=${encodeURIComponent(uploaded(name))}`;

/** The body of an upload at once, as the SDK writes it. */
export function multipart(
  bytes: Uint8Array | string,
  metadata: object = {},
  type = 'application/octet-stream',
) {
  const boundary = '00001234567890';
  const head = `--${boundary}\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${JSON.stringify(metadata)}\r\n--${boundary}\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    method: 'POST',
    headers: {
      'content-type': `multipart/related; boundary=${boundary}`,
      'x-goog-upload-protocol': 'multipart',
    },
    body: Buffer.concat([
      Buffer.from(head),
      Buffer.from(bytes as string),
      Buffer.from(`\r\n--${boundary}--`),
    ]),
  };
}
