import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminPassword, type RunningSite } from '../e2e/site.ts';

export type UploadReport = {
  rounds: number;
  /** Uploads that the server has said are finished, and those that went on after it was killed. */
  finished: number;
  resumed: number;
};

/** A file that is being uploaded: its bytes, and how much of it the server says it has. */
type Sent = { name: string; bytes: Buffer; url?: string; isFinished: boolean };

const uploadersAtOnce = 4;
const largestBytes = 3 * 1024 * 1024;

/**
 * Kills the server with -9 at random points of uploads, in one request and in steps, starts it again, and
 * checks that every finished file is there, that none is incomplete, and that unfinished uploads continue
 * where they were. The site runs and has its admin. Throws at the first round that lost something. Case 64.
 */
export async function runUploadRounds(
  site: RunningSite,
  rounds: number,
  random: () => number,
): Promise<UploadReport> {
  const report = { rounds: 0, finished: 0, resumed: 0 };
  const uploader = await Uploader.of(site);
  for (; report.rounds < rounds; report.rounds += 1) {
    const sent: Sent[] = [];
    let isOver = false;
    const uploads = Array.from({ length: uploadersAtOnce }, async (_, index) => {
      for (let next = 0; !isOver && next < 1_000; next += 1) {
        const file = makeFile(`posts/round${report.rounds}/${index}.${next}`, random);
        sent.push(file);
        await uploader.send(file, random() < 0.7);
      }
    });
    const start = performance.now();
    // However slow the machine is, something must be under way; then at any moment.
    while (sent.length < uploadersAtOnce + 2 && performance.now() - start < 10_000) await sleep(5);
    await sleep(random() * 150);
    await site.stop('SIGKILL');
    isOver = true;
    await Promise.all(uploads);
    await site.start();
    for (const file of sent) await uploader.check(file);
    for (const file of sent.filter(({ url, isFinished }) => url !== undefined && !isFinished)) {
      await uploader.goOn(file);
      await uploader.check(file);
      report.resumed += 1;
    }
    report.finished += sent.filter(({ isFinished }) => isFinished).length;
    await uploader.removeAll(sent);
  }
  assert.match(await site.cli('doctor'), /No problems found/);
  return report;
}

/** Bytes that tell where they belong: a file put together wrongly is another one. */
function makeFile(name: string, random: () => number): Sent {
  const bytes = Buffer.alloc(Math.ceil(random() * largestBytes));
  const seed = Math.floor(random() * 2 ** 32);
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE((seed + at) >>> 0, at);
  return { name, bytes, isFinished: false };
}

class Uploader {
  readonly #url: string;
  readonly #token: string;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  static async of(site: RunningSite): Promise<Uploader> {
    const response = await fetch(`${site.url}/api/signIn`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { email: 'mina@example.com', password: adminPassword } }),
    });
    assert.equal(response.status, 200);
    return new Uploader(site.url, response.headers.get('set-auth-token') ?? '');
  }

  /** Sends a file until it is finished or nobody answers any more. */
  async send(file: Sent, isInSteps: boolean): Promise<void> {
    const address = `${this.#url}/v0/b/-/o?name=${encodeURIComponent(file.name)}`;
    if (!isInSteps) {
      const head =
        '--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nContent-Type: text/plain\r\n\r\n';
      const body = Buffer.concat([Buffer.from(head), file.bytes, Buffer.from('\r\n--b--')]);
      const answer = await this.#post(address, body, {
        'content-type': 'multipart/related; boundary=b',
        'x-goog-upload-protocol': 'multipart',
      });
      file.isFinished = answer?.status === 200;
      return;
    }
    const started = await this.#post(address, '{}', {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(file.bytes.length),
    });
    const url = started?.headers.get('x-goog-upload-url');
    if (url === undefined || url === null) return;
    file.url = url;
    await this.#sendFrom(file, url, 0);
  }

  /** Asks how much of a file has arrived, and sends the rest. */
  async goOn(file: Sent): Promise<void> {
    const url = file.url ?? '';
    const asked = await this.#post(url, '', { 'x-goog-upload-command': 'query' });
    assert.equal(asked?.status, 200, `${file.name} cannot go on: ${asked?.text}`);
    if (asked?.headers.get('x-goog-upload-status') === 'final') file.isFinished = true;
    else await this.#sendFrom(file, url, Number(asked?.headers.get('x-goog-upload-size-received')));
    assert.ok(file.isFinished, `${file.name} did not come to its end.`);
  }

  /** A finished file is there, and one that is there is whole. */
  async check({ name, bytes, isFinished }: Sent): Promise<void> {
    const answer = await fetch(`${this.#url}/v0/b/-/o/${encodeURIComponent(name)}?alt=media`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    const received = Buffer.from(await answer.arrayBuffer());
    assert.ok(answer.status === 200 || !isFinished, `${name} was finished and is gone.`);
    if (answer.status === 200) assert.equal(digest(received), digest(bytes), `${name} is not what was sent.`);
    else assert.equal(answer.status, 404);
  }

  async removeAll(files: readonly Sent[]): Promise<void> {
    for (const { name } of files) {
      const { status } = await fetch(`${this.#url}/v0/b/-/o/${encodeURIComponent(name)}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${this.#token}` },
      });
      assert.ok(status === 204 || status === 404, `${name} could not be removed: ${status}`);
    }
  }

  async #sendFrom(file: Sent, url: string, from: number): Promise<void> {
    for (let offset = from, part = 256 * 1024; ; part *= 2) {
      const end = Math.min(offset + part, file.bytes.length);
      const isLast = end === file.bytes.length;
      const answer = await this.#post(url, file.bytes.subarray(offset, end), {
        'x-goog-upload-command': isLast ? 'upload, finalize' : 'upload',
        'x-goog-upload-offset': String(offset),
      });
      if (answer?.status !== 200) return;
      offset = end;
      if (!isLast) continue;
      file.isFinished = answer.headers.get('x-goog-upload-status') === 'final';
      return;
    }
  }

  /** The answer; undefined when the server was killed before it gave one. Throws for a fault of ours. */
  async #post(url: string, body: Buffer | string, headers: Record<string, string>) {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body: body as BodyInit,
        headers: { authorization: `Bearer ${this.#token}`, ...headers },
      });
      const text = await answer.text();
      assert.ok(answer.status < 500 || answer.status === 503, text);
      return { status: answer.status, headers: answer.headers, text };
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  }
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
