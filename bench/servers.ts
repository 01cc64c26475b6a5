import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { adminPassword, RunningSite } from '../test/e2e/site.ts';
import '../test/support/no-settings.ts';

/** A site with seeded content, run by the built program. */
export class BenchSite extends RunningSite {
  /** A site that was seeded before, in a folder or, with a setting for it, in another database. */
  constructor(dataDir: string, port: number, settings: Record<string, string> = {}) {
    super(dataDir, port, { HOST: '127.0.0.1', ...settings });
  }

  static async seeded(
    posts: number,
    members: number,
    port: number,
    settings: Record<string, string> = {},
  ): Promise<BenchSite> {
    const site = new BenchSite(await mkdtemp(join(tmpdir(), 'coterie-bench-')), port, settings);
    await site.seed('--posts', String(posts), '--members', String(members));
    return site;
  }

  /** Starts the server. Returns the milliseconds until it first answered. */
  async timedStart(): Promise<number> {
    const start = performance.now();
    await this.start();
    await fetch(this.url);
    return performance.now() - start;
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
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    return [this.pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  /** What it has written to its disk since its start, in kB. */
  written(): number {
    const io = readFileSync(`/proc/${this.pid}/io`, 'utf8');
    return Number(/^write_bytes: (\d+)/m.exec(io)?.[1]) / 1_024;
  }

  /** 0 for a process that has just ended. */
  #status(field: string, pid = this.pid): number {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  }

  /** A personal access token of a new admin. A kept site has those of earlier runs, too. */
  async adminToken(): Promise<string> {
    const username = `bench${randomBytes(4).toString('hex')}`;
    const email = `${username}@example.com`;
    await this.createAdminByCommand(username);
    const signedIn = await this.call('signIn', { email, password: adminPassword });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const answer = await this.call(
      'createAccessToken',
      { name: 'bench', scopes: ['read', 'write', 'files', 'members'] },
      { cookie },
    );
    return (await answer.json()).result.token;
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
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts'), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}
