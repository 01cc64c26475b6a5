import { once } from 'node:events';
import { Agent, request } from 'node:http';

const mebibyte = 1024 * 1024;
/** As the SDK and the web app send a large file. */
const partBytes = 16 * mebibyte;

/**
 * Uploads a file in steps: this one, or one of this size with the same bytes over and over. Resolves with its
 * address on the site.
 */
export async function uploadInSteps(
  site: string,
  token: string,
  name: string,
  file: number | Buffer,
  contentType = 'application/octet-stream',
): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const size = typeof file === 'number' ? file : file.length;
  const same = Buffer.alloc(partBytes, 'coterie ');
  const partAt = (offset: number) =>
    typeof file === 'number'
      ? same.subarray(0, Math.min(partBytes, size - offset))
      : file.subarray(offset, offset + partBytes);
  const send = async (address: string, headers: Record<string, string>, body: Buffer | string) => {
    const sent = request(address, {
      method: 'POST',
      agent,
      headers: { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body), ...headers },
    });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    let text = '';
    for await (const chunk of answer) text += chunk;
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`);
    return { text, url: String(answer.headers['x-goog-upload-url']) };
  };
  const { url } = await send(
    `${site}/v0/b/-/o?name=${encodeURIComponent(name)}`,
    {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(size),
    },
    JSON.stringify({ contentType }),
  );
  for (let offset = 0; ; offset += partBytes) {
    const isLast = offset + partBytes >= size;
    const { text } = await send(
      url,
      {
        'x-goog-upload-command': isLast ? 'upload, finalize' : 'upload',
        'x-goog-upload-offset': String(offset),
      },
      partAt(offset),
    );
    if (!isLast) continue;
    agent.destroy();
    return JSON.parse(text).url;
  }
}

/** Reads an answer to its end without storing it. Resolves with the number of its bytes. */
export async function download(url: string, headers: Record<string, string> = {}): Promise<number> {
  const asked = request(url, { headers, agent: false });
  asked.end();
  const [answer] = await once(asked, 'response');
  if (answer.statusCode !== 200) throw new Error(`${url} was answered ${answer.statusCode}.`);
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(answer, 'end');
  return bytes;
}
