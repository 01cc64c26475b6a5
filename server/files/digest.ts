import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The sums and the length of a file on the disk; `digest`, SHA-256 as base64url, tells whether two files are the same. */
export async function digestsOf(path: string): Promise<{ digest: string; md5: string; size: number }> {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    sha256.update(chunk);
    md5.update(chunk);
    size += chunk.length;
  }
  return { digest: sha256.digest('base64url'), md5: md5.digest('base64'), size };
}
