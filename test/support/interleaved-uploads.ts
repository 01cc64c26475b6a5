import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** What was sent, and in which ways. */
export type InterleavedReport = { uploads: number; broken: number; doubled: number };

type Sending = {
  /** The processes of one site, which take turns. */
  urls: readonly string[];
  headers: Record<string, string>;
  random: () => number;
};

const largestBytes = 4 * 1024 * 1024;
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Sends files in steps, each step to another process: some are broken off half way and gone on with at once,
 * some are sent to two processes at the same moment, the last one among them. Throws unless each file is
 * afterwards what was sent, at every process.
 */
export async function sendInterleaved(
  sending: Sending,
  names: readonly string[],
): Promise<InterleavedReport> {
  const report = { uploads: 0, broken: 0, doubled: 0 };
  await Promise.all(names.map(name => new Upload(sending, name, report).run()));
  return report;
}

class Upload {
  readonly #sending: Sending;
  readonly #name: string;
  readonly #report: InterleavedReport;
  readonly #bytes: Buffer;
  #turn: number;

  constructor(sending: Sending, name: string, report: InterleavedReport) {
    this.#sending = sending;
    this.#name = name;
    this.#report = report;
    this.#turn = Math.floor(sending.random() * sending.urls.length);
    // Bytes that tell where they belong: a file that is put together wrongly is another one.
    this.#bytes = Buffer.alloc(Math.ceil((0.2 + 0.8 * sending.random()) * largestBytes));
    const seed = Math.floor(sending.random() * 2 ** 32);
    for (let at = 0; at + 4 <= this.#bytes.length; at += 4) this.#bytes.writeUInt32LE((seed + at) >>> 0, at);
  }

  async run(): Promise<void> {
    const path = await this.#start();
    for (let offset = 0, size = 128 * 1024; ; size *= 2) {
      const end = Math.min(offset + size, this.#bytes.length);
      const isLast = end === this.#bytes.length;
      const chance = this.#sending.random();
      if (chance < 0.3) {
        this.#report.broken += 1;
        await this.#breakOff(path, offset, end);
        offset = await this.#received(path);
        size = 64 * 1024;
        continue;
      }
      const step = () => this.#step(path, offset, end, isLast);
      if (chance < 0.5) this.#report.doubled += 1;
      const answers = await Promise.all(chance < 0.5 ? [step(), step()] : [step()]);
      offset = end;
      if (!isLast) continue;
      const generations = new Set(
        answers.map(text => (JSON.parse(text) as { generation: string }).generation),
      );
      assert.equal(generations.size, 1, `${this.#name} was finished as two files.`);
      break;
    }
    for (const url of this.#sending.urls) await this.#check(url);
    this.#report.uploads += 1;
  }

  #next(): string {
    this.#turn += 1;
    return this.#sending.urls[this.#turn % this.#sending.urls.length] ?? '';
  }

  async #start(): Promise<string> {
    const answer = await this.#ask(`/v0/b/-/o?name=${encodeURIComponent(this.#name)}`, '{}', {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(this.#bytes.length),
    });
    const { pathname, search } = new URL(String(answer.headers['x-goog-upload-url']));
    return pathname + search;
  }

  async #step(path: string, offset: number, end: number, isLast: boolean): Promise<string> {
    const headers = command(isLast ? 'upload, finalize' : 'upload', offset);
    const answer = await this.#ask(path, this.#bytes.subarray(offset, end), headers);
    assert.equal(answer.headers['x-goog-upload-status'], isLast ? 'final' : 'active');
    return answer.body.toString();
  }

  async #received(path: string): Promise<number> {
    const answer = await this.#ask(path, '', { 'x-goog-upload-command': 'query' });
    return Number(answer.headers['x-goog-upload-size-received']);
  }

  async #check(url: string): Promise<void> {
    const path = `/v0/b/-/o/${encodeURIComponent(this.#name)}?alt=media`;
    const { body } = await answered(
      request(url + path, { agent: false, headers: this.#sending.headers }).end(),
    );
    assert.equal(digest(body), digest(this.#bytes), `${this.#name} is not what was sent.`);
  }

  /**
   * Posts to the process whose turn it is, on a connection of its own: a server may be closing one that was
   * used.
   */
  async #ask(path: string, body: Buffer | string, headers: Record<string, string>) {
    const options = {
      agent: false,
      method: 'POST',
      headers: { ...this.#sending.headers, ...headers },
    } as const;
    return await answered(request(this.#next() + path, options).end(body));
  }

  /** Sends a part of a step and cuts the line, without waiting for what becomes of it. */
  async #breakOff(path: string, offset: number, end: number): Promise<void> {
    const sent = request(this.#next() + path, {
      agent: false,
      method: 'POST',
      headers: { ...this.#sending.headers, ...command('upload', offset), 'content-length': end - offset },
    });
    sent.on('error', () => {});
    const part = this.#bytes.subarray(offset, offset + Math.floor((end - offset) * this.#sending.random()));
    await new Promise(resolve =>
      sent.write(part.length === 0 ? this.#bytes.subarray(offset, offset + 1) : part, resolve),
    );
    await new Promise(resolve => sent.once('close', resolve).destroy());
  }
}

async function answered(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  assert.equal(response.statusCode, 200, `${sent.method} ${sent.path}: ${body.subarray(0, 300)}`);
  return { headers: response.headers, body };
}

const command = (name: string, offset: number) => ({
  'x-goog-upload-command': name,
  'x-goog-upload-offset': String(offset),
});
