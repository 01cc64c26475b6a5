import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'bin/coterie.js');

/** A site of the built program with seeded content. */
export class BenchSite {
  readonly url: string;
  readonly dataDir: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(dataDir: string, port: number) {
    this.dataDir = dataDir;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async seeded(posts: number, port: number): Promise<BenchSite> {
    const site = new BenchSite(await mkdtemp(join(tmpdir(), 'coterie-bench-')), port);
    const args = [bin, 'seed', '--posts', String(posts), '--members', '100'];
    execFileSync(process.execPath, args, { env: site.#env, stdio: 'ignore' });
    return site;
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: this.dataDir,
      HOST: '127.0.0.1',
      PORT: String(this.#port),
      LOG_LEVEL: 'warn',
    };
  }

  /** Starts the server. Returns the milliseconds until it first answered. */
  async start(): Promise<number> {
    const start = performance.now();
    this.#child = spawn(process.execPath, [bin, 'start'], { env: this.#env, stdio: 'ignore' });
    for (;;) {
      const answer = await fetch(this.url).catch(() => undefined);
      if (answer?.ok) return performance.now() - start;
      if (performance.now() - start > 20_000) throw new Error('The server did not start.');
    }
  }

  /** Resident memory in MB. */
  memory(): number {
    return this.#status('VmRSS');
  }

  /** The most that it has been since it was reset. */
  peakMemory(): number {
    return this.#status('VmHWM');
  }

  #status(field: string): number {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  }

  /** A personal access token of a new admin. */
  async adminToken(): Promise<string> {
    const args = ['admin', 'create', '--email', 'a@example.com', '--username', 'bench', '--name', 'Bench'];
    execFileSync(process.execPath, [bin, ...args, '--password-stdin'], { env: this.#env, input: 'password' });
    const cookie = await this.#signIn('a@example.com');
    const answer = await this.call('createAccessToken', { name: 'bench' }, { cookie });
    return (await answer.json()).result.token;
  }

  async stop(): Promise<void> {
    if (this.#child === undefined) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill();
    await exit;
  }

  async call(name: string, data: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return await fetch(`${this.url}/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data }),
    });
  }

  /** The cookie of a seeded member, who has about twenty approved tags. */
  async memberCookie(number = 1): Promise<string> {
    return await this.#signIn(`member${number}@example.com`);
  }

  async #signIn(email: string): Promise<string> {
    const response = await this.call('signIn', { email, password: 'password' });
    if (!response.ok) throw new Error(await response.text());
    return response.headers
      .getSetCookie()
      .map(cookie => cookie.split(';')[0])
      .join('; ');
  }
}

export async function startBare(port: number): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(root, 'bench/bare.ts'), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}
