import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, test as base, expect, type Page } from '@playwright/test';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { scratchFolder } from '../scratch.ts';
import { addAccount, adminPassword } from './accounts.ts';

const bin = join(import.meta.dirname, '../../bin/coterie.js');
const seedProgram = join(import.meta.dirname, '../../bench/seed.ts');
const node = process.execPath;
const runFile = promisify(execFile);

export { adminPassword } from './accounts.ts';

/** The built program, running as a person would run it, on an empty folder. */
export class RunningSite {
  readonly url: string;
  readonly dataDir: string;
  /** Everything that it has printed. */
  output = '';
  readonly #port: number;
  #child: ChildProcess | undefined;

  /** Settings beside those that every test has: another database, a mail server. */
  readonly #settings: Record<string, string>;

  constructor(dataDir: string, port: number, settings: Record<string, string> = {}) {
    this.#settings = settings;
    this.dataDir = dataDir;
    this.#port = port;
    this.url = `http://localhost:${port}`;
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      DATA_DIR: this.dataDir,
      PORT: String(this.#port),
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
      ...this.#settings,
    };
  }

  async start(): Promise<void> {
    const before = this.output.length;
    const child = spawn(node, [bin, 'start'], { env: this.#env, cwd: this.dataDir });
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

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    // A killed process has a signal instead of a code.
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** Runs a command of the `coterie` program on the site. Returns what it prints. */
  async cli(...args: string[]): Promise<string> {
    return await this.#run(bin, args);
  }

  /** Fills the site with made-up volume. */
  async seed(...args: string[]): Promise<void> {
    await this.#run(seedProgram, args);
  }

  async #run(program: string, args: string[]): Promise<string> {
    const { stdout } = await runFile(node, [program, ...args], {
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
    const child = runFile(node, [bin, 'admin', 'create', ...args, '--password-stdin'], options);
    child.child.stdin?.end(adminPassword);
    await child;
  }
}

/** Calls an operation from a page, with its session, as the app does. */
export async function callFrom<Name extends OperationName>(
  page: Page,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const response = await page.request.post(`/api/${name}`, { data: { data: input } });
  const body = await response.json();
  if (body.error) throw new Error(body.error.message);
  return body.result;
}

/** Signs a page's context in through the operation that the form calls. */
export async function signIn(page: Page, username: string, password = adminPassword): Promise<void> {
  await callFrom(page, 'signIn', { email: `${username}@example.com`, password });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A test with a site of its own. An error in the browser's console, or one that nothing catches, fails the test. */
export const test = base.extend<
  { site: RunningSite; failures: string[]; allowedErrors: RegExp[] },
  { browser: Browser }
>({
  browser: [
    async ({ browser }, use) => {
      const newContext = browser.newContext.bind(browser);
      browser.newContext = async options => {
        const context = await newContext(options);
        if (options?.javaScriptEnabled !== false) context.on('page', waitForScripts);
        return context;
      };
      await use(browser);
    },
    { scope: 'worker' },
  ],
  // Playwright tells fixtures by their destructured parameter, so it must be an object pattern.
  // biome-ignore lint/correctness/noEmptyPattern: see above
  site: async ({}, use) => {
    const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-e2e-'));
    const site = new RunningSite(dataDir, await freePort());
    await site.start();
    await use(site);
    await site.stop();
    // 50 and 60 are errors and worse in the server's log.
    expect(site.output).not.toMatch(/"level":[56]0/);
    await rm(dataDir, { recursive: true, force: true });
  },
  baseURL: async ({ site }, use) => use(site.url),
  /** Console errors that a test brings about on purpose. */
  allowedErrors: async ({ baseURL: _ }, use) => use([]),
  failures: [
    async ({ context, allowedErrors }, use) => {
      const failures: string[] = [];
      context.on('console', message => {
        if (message.type() === 'error') failures.push(`${message.text()} ${message.location().url}`);
      });
      context.on('weberror', error => failures.push(String(error.error())));
      await use(failures);
      expect(failures.filter(text => !allowedErrors.some(allowed => allowed.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});

/** Waits until the app has taken over the page that the server rendered: from then on its buttons act. */
export async function hydrated(page: Page): Promise<void> {
  await page.locator('html[data-hydrated]').waitFor();
}

/** Its scripts come after the text: a journey that opens a page of the app goes on once the app has taken it over. */
function waitForScripts(page: Page): void {
  const goto = page.goto.bind(page);
  page.goto = async (...to) => {
    const response = await goto(...to);
    if ((await page.locator('script[data-entry]').count()) > 0) await hydrated(page);
    return response;
  };
  const reload = page.reload.bind(page);
  page.reload = async options => {
    const response = await reload(options);
    if ((await page.locator('script[data-entry]').count()) > 0) await hydrated(page);
    return response;
  };
}

export { expect };
