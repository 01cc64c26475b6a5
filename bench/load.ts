import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One kind of request, sent repeatedly, with each of `cookies` in turn. */
export type Request = {
  url: string;
  headers?: Record<string, string>;
  cookies?: readonly string[];
  body?: string;
};

const connections = 32;
const seconds = 2;
/** Requests that one account sends in a second, at most: the server refuses more than 600 a minute. */
const perAccount = 8;

/** Installs a Debian package unless its program is there. */
export function requireProgram(name: string, debianPackage = name): void {
  if (spawnSync(name, ['-v'], { stdio: 'ignore' }).error === undefined) return;
  process.stdout.write(`${name} is not installed; installing it.\n`);
  const install = `apt-get update -qq && apt-get install -y -qq ${debianPackage}`;
  execFileSync('sh', ['-c', install], { stdio: 'inherit' });
}

/** Requests per second over 32 connections. Throws if an answer is not a success. */
export async function requestsPerSecond(request: Request): Promise<number> {
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(await load(request))?.[1] ?? Number.NaN);
}

/** Bytes per second over 32 connections, including those of unfinished answers. */
export async function bytesPerSecond(request: Request): Promise<number> {
  const [, rate, unit = ''] = /Transfer\/sec:\s+([\d.]+)([KMG]?)B/.exec(await load(request)) ?? [];
  return Number(rate ?? Number.NaN) * 1_024 ** ' KMG'.indexOf(unit || ' ');
}

/** The bytes of an answer's body as they are sent: compressed if the request accepts that. */
export async function bytesOf({ url, headers = {}, body }: Request, cookie: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = send(url, { method: body === undefined ? 'GET' : 'POST', headers: { ...headers, cookie } });
    sent.on('error', reject).on('response', answer => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => resolve(bytes)).on('error', reject);
    });
    sent.end(body);
  });
}

/** The report of wrk: a load generator in JavaScript would be slower than the server that it measures. */
async function load(request: Request): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-wrk-'));
  try {
    const script = join(folder, 'request.lua');
    await writeFile(script, scriptOf(request));
    const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script, request.url];
    const { stdout } = await run('wrk', args);
    if (/Non-2xx/.test(stdout)) throw new Error(`${request.url} did not always succeed:\n${stdout}`);
    if (!/Requests\/sec:/.test(stdout)) throw new Error(`wrk said nothing of its rate:\n${stdout}`);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The requests are written once, so that sending them costs the same with and without cookies. */
function scriptOf({ headers = {}, cookies = [], body }: Request): string {
  return [
    body === undefined ? '' : `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}`),
    `local cookies = {${cookies.map(cookie => JSON.stringify(cookie)).join(', ')}}`,
    'local requests, sent = {}, 0',
    'function init()',
    '  for i, cookie in ipairs(cookies) do',
    '    wrk.headers["cookie"] = cookie',
    '    requests[i] = wrk.format()',
    '  end',
    '  if #requests == 0 then requests[1] = wrk.format() end',
    'end',
    'function request()',
    '  sent = sent + 1',
    '  return requests[sent % #requests + 1]',
    'end',
  ].join('\n');
}

/**
 * Measures two kinds of requests in turn, so that changes in the machine's load affect both. Returns the
 * median of the ratios. `during` runs while ours are measured.
 */
export async function ratio(
  ours: Request,
  other: Request,
  { rounds = 5, during }: { rounds?: number; during?: () => { stop(): Promise<void> } } = {},
): Promise<{ ratio: number; ours: number }> {
  const ratios: number[] = [];
  const rates: number[] = [];
  // First both servers warm up for every account, as if they had been running for a minute.
  await requestsPerSecond(other);
  for (const cookie of ours.cookies ?? []) await bytesOf(ours, cookie);
  await requestsPerSecond(ours);
  for (let round = 0; round < rounds; round += 1) {
    const otherRate = await requestsPerSecond(other);
    const meanwhile = during?.();
    const ourRate = await requestsPerSecond(ours);
    await meanwhile?.stop();
    const rate = ourRate + (other.cookies === undefined ? 0 : otherRate);
    if (ours.cookies !== undefined) await restOf(ours.cookies.length, rate);
    ratios.push(ourRate / otherRate);
    rates.push(ourRate);
  }
  return { ratio: median(ratios), ours: median(rates) };
}

/**
 * Waits until so many accounts may send as many requests again: on a fast machine they would be refused
 * otherwise.
 */
async function restOf(accounts: number, rate: number): Promise<void> {
  await sleep(Math.max(0, (rate / (accounts * perAccount) - 1) * seconds * 1_000));
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
