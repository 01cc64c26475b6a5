import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import options from '../../bin/options.json' with { type: 'json' };
import { addAccount, adminPassword } from './accounts.ts';
import type { SiteHost } from './host.ts';

const ownRoot = join(import.meta.dirname, '../..');
const node = process.execPath;
const runFile = promisify(execFile);

export { adminPassword } from './accounts.ts';

/** The built program on an empty folder, started as the command of the packages starts it. */
export class RunningSite {
  readonly url: string;
  readonly dataDir: string;
  /** Everything that it has printed. */
  output = '';
  /**
   * The folder of the built program and its sources; with another one the next start runs another version.
   */
  root = ownRoot;
  /** What starts the program and its commands, such as a shell that first joins a control group. */
  launcher: readonly string[] = [];
  readonly #port: number;
  #child: ChildProcess | undefined;

  /** Additional settings: another database, a mail server. */
  readonly #settings: Record<string, string>;
  readonly #host: SiteHost | undefined;

  /** Starts as a process of its own, or in that of `host`. */
  constructor(
    dataDir: string,
    port: number,
    settings: Record<string, string> = {},
    { host }: { host?: SiteHost } = {},
  ) {
    this.#settings = settings;
    this.#host = host;
    this.dataDir = dataDir;
    this.#port = port;
    this.url = `http://${settings.HOST ?? 'localhost'}:${port}`;
  }

  get #env(): NodeJS.ProcessEnv {
    // Each site has a data folder of its own, in which it would compile the program anew.
    const compiled = { NODE_COMPILE_CACHE: join(this.root, '.cache/compiled') };
    return { ...process.env, ...options.memory, ...compiled, ...this.#siteEnv };
  }

  get #siteEnv(): NodeJS.ProcessEnv {
    return {
      DATA_DIR: this.dataDir,
      PORT: String(this.#port),
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
      ...this.#settings,
    };
  }

  get #bin(): string {
    return join(this.root, 'bin/coterie.js');
  }

  async start(): Promise<void> {
    if (this.#host !== undefined) {
      return await this.#host.start(this.#siteEnv, text => {
        this.output += text;
      });
    }
    const before = this.output.length;
    const [command = node, ...args] = [...this.launcher, node, ...options.flags, this.#bin, 'start'];
    const child = spawn(command, args, { env: this.#env, cwd: this.dataDir });
    this.#child = child;
    const running = Promise.withResolvers<void>();
    const hear = (chunk: Buffer) => {
      this.output += chunk.toString();
      if (this.output.slice(before).includes(`running at ${this.url}`)) running.resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => running.reject(new Error(this.output)));
    await running.promise;
  }

  /** The process that was started last. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The link that it prints for the first admin. */
  async setupLink(): Promise<string> {
    // What a host prints may come after its answer that the site has started.
    let link: string | undefined;
    for (; link === undefined; await setImmediate())
      link = /http\S+\/setup\?token=\S+/.exec(this.output)?.[0];
    return link;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#host !== undefined) return await this.#host.stop(signal);
    const child = this.#child;
    // A killed process has a signal instead of a code.
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** Runs a command of the `coterie` program on the site. Returns what it prints. */
  async cli(...args: string[]): Promise<string> {
    return await this.#run(this.#bin, args);
  }

  /** Fills the site with made-up volume. */
  async seed(...args: string[]): Promise<void> {
    await this.#run(join(this.root, 'bench/seed.ts'), args);
  }

  async #run(program: string, args: string[]): Promise<string> {
    const [command = node, ...rest] = [...this.launcher, node, program, ...args];
    const { stdout } = await runFile(command, rest, {
      env: this.#env,
      cwd: this.dataDir,
      maxBuffer: 1 << 24,
    });
    return stdout;
  }

  async createAdmin(username = 'mina'): Promise<void> {
    // On PostgreSQL there is no file to write to.
    if (this.#settings.DATABASE_URL !== undefined) return await this.createAdminByCommand(username);
    await addAccount(this, { username, name: 'Mina Harker', password: adminPassword, isAdmin: true });
  }

  /** As `createAdmin`, by the command of the program. */
  async createAdminByCommand(username: string): Promise<void> {
    const args = ['--email', `${username}@example.com`, '--username', username, '--name', 'Mina Harker'];
    const options = { env: this.#env, cwd: this.dataDir };
    const child = runFile(node, [this.#bin, 'admin', 'create', ...args, '--password-stdin'], options);
    child.child.stdin?.end(adminPassword);
    await child;
  }
}
