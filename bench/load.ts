import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One kind of request, sent over and over. */
export type Request = { url: string; headers?: Record<string, string>; body?: string };

const connections = 32;
const seconds = 3;

/** wrk, because a load generator in JavaScript is slower than what it would measure. */
export function requireWrk(): void {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' });
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status !== null) return;
    process.stdout.write('wrk is not installed; installing it.\n');
    execFileSync('sh', ['-c', 'apt-get update -qq && apt-get install -y -qq wrk'], { stdio: 'inherit' });
  }
}

/** Requests per second under 32 connections. Throws when an answer is no success. */
export async function requestsPerSecond(request: Request): Promise<number> {
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(await load(request))?.[1];
  return Number(rate ?? Number.NaN);
}

/** Bytes per second under 32 connections, answers that are still under way included. */
export async function bytesPerSecond(request: Request): Promise<number> {
  const [, rate, unit = ''] = /Transfer\/sec:\s+([\d.]+)([KMG]?)B/.exec(await load(request)) ?? [];
  return Number(rate ?? Number.NaN) * 1_024 ** ' KMG'.indexOf(unit || ' ');
}

/** What wrk says after its run. */
async function load({ url, headers = {}, body }: Request): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-wrk-'));
  const script = join(folder, 'request.lua');
  const lines = [
    body === undefined ? '' : `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}`),
  ];
  await writeFile(script, lines.join('\n'));
  const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script, url];
  const { stdout } = await run('wrk', args);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} did not always succeed:\n${stdout}`);
  if (!/Requests\/sec:/.test(stdout)) throw new Error(`wrk said nothing of its rate:\n${stdout}`);
  return stdout;
}

/** Two kinds of requests in turn, so that the machine's moods meet both. Returns the median of the ratios. */
export async function ratio(
  ours: Request,
  other: Request,
  rounds = 3,
): Promise<{ ratio: number; ours: number }> {
  const ratios: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [otherRate, ourRate] = [await requestsPerSecond(other), await requestsPerSecond(ours)];
    ratios.push(ourRate / otherRate);
    rates.push(ourRate);
  }
  return { ratio: median(ratios), ours: median(rates) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
