import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import sharp from 'sharp';
import { bucketPath, multipart } from '../../test/support/multipart.ts';
import { chromiumArgs, findChromium } from '../chromium.ts';

/** A site that somebody has started: where it is, and what it has printed. */
export type Started = {
  url: string;
  setupLink: string;
  /** From the command to the sentence that it runs. */
  startMs: number;
  memory(): string;
  stop(): Promise<number>;
};

/** Starts a site and waits until it says that it runs. */
export async function startSite(command: string, args: readonly string[], port: number): Promise<Started> {
  const begun = performance.now();
  const env = { PATH: process.env.PATH };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  while (!output.includes('Coterie is running at')) {
    const [ended] = await Promise.race([once(child.stdout, 'data').then(() => []), exited]);
    if (ended !== undefined) throw new Error(`It ended with ${ended}:\n${output}`);
  }
  // Later it starts processes of its own.
  const site = innermost(pid);
  return {
    url: `http://127.0.0.1:${port}`,
    setupLink: /http\S+\/setup\?token=\S+/.exec(output)?.[0] ?? '',
    startMs: Math.round(performance.now() - begun),
    memory: () => /VmRSS:\s+(.*)/.exec(readFileSync(`/proc/${site}/status`, 'utf8'))?.[1] ?? '',
    stop: async () => {
      const told = performance.now();
      process.kill(site, 'SIGTERM');
      const [code] = await exited;
      const isStopped = code === 0 && output.includes('Coterie has stopped');
      if (!isStopped) throw new Error(`It ended with ${code}:\n${output}`);
      return Math.round(performance.now() - told);
    },
  };
}

/** The process that the others around it, which only make its surroundings, have started. */
function innermost(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child ? innermost(Number(child)) : pid;
}

/**
 * Makes the first admin with the link that a start has printed, and publishes a post that all may read.
 * Returns the admin's cookie.
 */
export async function writeFirstPost(
  { url, setupLink }: Pick<Started, 'url' | 'setupLink'>,
  content: string,
): Promise<string> {
  const token = new URL(setupLink).searchParams.get('token');
  const account = {
    username: 'mina',
    name: 'Mina Harker',
    email: 'mina@example.com',
    password: 'quincey morris',
  };
  const made = await call(url, 'setUpSite', { token, account });
  const cookie = made.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ');
  await call(url, 'createPost', { type: 'short', content, tags: [], isDraft: false }, cookie);
  await requirePost(url, content);
  return cookie;
}

const filesOfTests = join(import.meta.dirname, '../../test');
/** A photo and a video, of which each is read and cleaned in another way. */
export const media = [
  { path: join(filesOfTests, 'fixtures/heic/photo.heic'), type: 'image/heic' },
  { path: join(filesOfTests, 'e2e/high-water.mp4'), type: 'video/mp4' },
];
/** How long the sizes of a picture may take on a machine that is only imitated, in milliseconds. */
const sizesWithinMs = 120_000;

/** Uploads a photo, a video and a picture, and waits for a smaller size of it. Throws when none is made. */
export async function uploadMedia({ url }: Started, cookie: string): Promise<void> {
  const admin = { url, cookie };
  for (const { path, type } of media) await upload(admin, basename(path), type, readFileSync(path));
  const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#1c5741' } })
    .jpeg()
    .toBuffer();
  const file = await upload(admin, 'picture.jpg', 'image/jpeg', picture);
  file.searchParams.set('width', '480');
  for (const end = performance.now() + sizesWithinMs; performance.now() < end; await wait(500)) {
    const answer = await fetch(file, { headers: { cookie } });
    const size = answer.ok ? await sharp(await answer.arrayBuffer()).metadata() : undefined;
    if (size?.width === 480) return;
  }
  throw new Error('No smaller size of the picture was made.');
}

/** Uploads a file as the SDK of Firebase sends a small one. Returns its address. */
async function upload(
  { url, cookie }: Pick<Started, 'url'> & { cookie: string },
  name: string,
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<URL> {
  const { headers, body } = multipart(bytes, {}, type);
  const stored = await fetch(`${url}${bucketPath(name)}`, {
    method: 'POST',
    headers: { ...headers, origin: new URL(url).origin, cookie },
    body,
  });
  if (!stored.ok) throw new Error(`The upload of ${name}: ${stored.status} ${await stored.text()}`);
  return new URL((await stored.json()).url, url);
}

export async function requirePost(url: string, content: string): Promise<void> {
  const page = await (await fetch(url)).text();
  if (!page.includes(content)) throw new Error(`The first page lacks the post "${content}".`);
}

/** Throws unless a visitor with a real browser sees a post. */
export async function requireInChromium(url: string, content: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText(content).waitFor();
  } finally {
    await browser.close();
  }
}

async function call(url: string, name: string, data: object, cookie = ''): Promise<Response> {
  const answer = await fetch(`${url}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin, cookie },
    body: JSON.stringify({ data }),
  });
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
  return answer;
}
