import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import '../test/support/no-settings.ts';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'bin/coterie.js');

/** A site with seeded content, run by the built program. */
export class BenchSite {
  readonly url: string;
  readonly dataDir: string;
  readonly #port: number;
  /** Settings beside those of every bench, such as another database. */
  readonly #settings: Record<string, string>;
  /** What runs the program, such as a shell that joins a control group. */
  launcher: readonly string[] = [];
  #child: ChildProcess | undefined;

  private constructor(dataDir: string, port: number, settings: Record<string, string>) {
    this.dataDir = dataDir;
    this.#port = port;
    this.#settings = settings;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async seeded(
    posts: number,
    members: number,
    port: number,
    settings: Record<string, string> = {},
  ): Promise<BenchSite> {
    const site = new BenchSite(await mkdtemp(join(tmpdir(), 'coterie-bench-')), port, settings);
    const args = [join(root, 'bench/seed.ts'), '--posts', String(posts), '--members', String(members)];
    execFileSync(process.execPath, args, { ...site.#place, stdio: 'ignore' });
    return site;
  }

  /** A site that was seeded before, in a folder or, with a setting for it, in another database. */
  static kept(dataDir: string, port: number, settings: Record<string, string> = {}): BenchSite {
    return new BenchSite(dataDir, port, settings);
  }

  /** A folder without `.env`: a real site that is named there would get an admin with a known password. */
  get #place(): { cwd: string; env: NodeJS.ProcessEnv } {
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: this.dataDir,
      HOST: '127.0.0.1',
      PORT: String(this.#port),
      LOG_LEVEL: 'warn',
      ...this.#settings,
    };
    return { cwd: this.dataDir, env };
  }

  /** Starts the server. Returns the milliseconds until it first answered. */
  async start(): Promise<number> {
    const start = performance.now();
    const [program, ...args] = this.#commandLine('start');
    this.#child = spawn(program, args, { ...this.#place, stdio: 'ignore' });
    for (;;) {
      const answer = await fetch(this.url).catch(() => undefined);
      if (answer?.ok) return performance.now() - start;
      if (performance.now() - start > 20_000) throw new Error('The server did not start.');
    }
  }

  /** Runs a command of the program beside the server. */
  async command(...words: readonly string[]): Promise<void> {
    const [program, ...args] = this.#commandLine(...words);
    await promisify(execFile)(program, args, this.#place);
  }

  #commandLine(...words: readonly string[]): [string, ...string[]] {
    const [program = process.execPath, ...rest] = [...this.launcher, process.execPath, bin, ...words];
    return [program, ...rest];
  }

  /** Resident memory in MB, of its processes together. What they share, such as the program, counts once. */
  memory(): number {
    const ofChildren = this.#processes.slice(1).map(pid => this.#status('RssAnon', pid));
    return ofChildren.reduce((sum, megabytes) => sum + megabytes, this.#status('VmRSS'));
  }

  /** The largest resident memory since the start, in MB. */
  peakMemory(): number {
    return this.#status('VmHWM');
  }

  /** The processor time since its start, in seconds, with that of its children. */
  cpuSeconds(): number {
    return this.#processes.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  }

  /** Its process, and those that it has started. */
  get #processes(): number[] {
    const pid = this.#child?.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  /** What it has written to its disk since its start, in kB. */
  written(): number {
    const io = readFileSync(`/proc/${this.#child?.pid}/io`, 'utf8');
    return Number(/^write_bytes: (\d+)/m.exec(io)?.[1]) / 1_024;
  }

  /** 0 for a process that has just ended. */
  #status(field: string, pid = this.#child?.pid ?? 0): number {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  }

  /** A personal access token of a new admin. A kept site has those of earlier runs, too. */
  async adminToken(): Promise<string> {
    const username = `bench${randomBytes(4).toString('hex')}`;
    const email = `${username}@example.com`;
    const args = ['admin', 'create', '--email', email, '--username', username, '--name', 'Bench'];
    execFileSync(process.execPath, [bin, ...args, '--password-stdin'], {
      ...this.#place,
      input: 'password',
    });
    const signedIn = await this.call('signIn', { email, password: 'password' });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const answer = await this.call(
      'createAccessToken',
      { name: 'bench', scopes: ['read', 'write', 'files', 'members'] },
      { cookie },
    );
    return (await answer.json()).result.token;
  }

  async stop(): Promise<void> {
    if (this.#child === undefined) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill();
    await exit;
  }

  async call(name: string, data: unknown, headers?: Record<string, string>): Promise<Response> {
    return await call(this.url, name, data, headers);
  }

  /** Stops it, and removes its data. */
  async remove(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true });
  }

  /**
   * The cookies of seeded members, each with about twenty approved tags. Their sessions are written as
   * signing in would write them, because checking hundreds of passwords takes a minute and is slowed down on
   * purpose.
   */
  async memberCookies(count: number): Promise<string[]> {
    const database = new DatabaseSync(join(this.dataDir, 'coterie.db'), { timeout: 5_000 });
    const secret = database.prepare(`select value from settings where name = 'secret'`).get()?.value;
    const insert = database.prepare(
      `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
       select ?, ?, id, ?, ?, ? from users where username = ?`,
    );
    const now = Date.now();
    const begun = new Date(now).toISOString();
    const end = new Date(now + 30 * 86_400_000).toISOString();
    database.exec('begin immediate');
    const cookies = Array.from({ length: count }, (_, index) => {
      const token = randomBytes(24).toString('base64url');
      insert.run(token.slice(0, 16), token, end, begun, begun, `member${index + 1}`);
      const signature = createHmac('sha256', String(secret)).update(token).digest('base64');
      return `coterie-session=${encodeURIComponent(`${token}.${signature}`)}`;
    });
    database.exec('commit');
    database.close();
    return cookies;
  }
}

/** The processor time of a process, with that of its children that have ended. */
function cpuSecondsOf(pid: number): number {
  // After the name of the program, which may hold spaces, values 12 to 15: hundredths of a second.
  const values = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return values.slice(11, 15).reduce((sum, value) => sum + Number(value), 0) / 100;
}

/** The address of the newest essay that visitors may read. */
export async function newestEssay(site: string): Promise<string> {
  const { result } = await (await call(site, 'getPosts', {})).json();
  return `${site}/post/${result.posts.find((post: { type: string }) => post.type === 'essay').id}`;
}

async function call(
  site: string,
  name: string,
  data: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${site}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
  });
}

export async function startBare(port: number): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(root, 'bench/bare.ts'), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}
