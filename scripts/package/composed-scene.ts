import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, chromium, type Page } from '@playwright/test';
import { fillSetup } from '../../test/support/fill-setup.ts';
import { chromiumArgs, findChromium } from '../chromium.ts';
import { requirePost, writeFirstPost } from './try.ts';

/**
 * What composed.ts runs where Podman has a network of its own: `composed-scene.ts FOLDER`. The sites are
 * started, written on, taken down and started again; of the three processes behind Caddy one is killed, and
 * what the admin denies there holds on all. Prints one sentence.
 */
const [, , folder = ''] = process.argv;
const host = 'blog.localhost';
const site = `https://${host}`;
const password = 'quincey morris';

const withPostgres = compose('postgres', ['compose.yaml', 'compose.postgres.yaml']);
withPostgres('up', '-d');
await until(() => podman('exec', 'deploy_coterie_1', 'coterie', 'health'));
const url = 'http://localhost:3000';
const setupLink = setupLinkOf('coterie');
await writeFirstPost({ url, setupLink }, 'Beside PostgreSQL.');
withPostgres('down');
withPostgres('up', '-d');
// The first request may go out on a connection of before.
await until(() => requirePost(url, 'Beside PostgreSQL.'));
withPostgres('down');
podman('volume', 'rm', '--all', '--force');

const pooled = compose('pooler', ['compose.pooler.yaml']);
const began = performance.now();
pooled('up', '-d');
await until(isAnswered);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
try {
  await inPage(browser, async page => {
    await page.goto(setupLinkOf('web-one'));
    await fillSetup(page);
    await page.getByRole('link', { name: 'Write', exact: true }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill('Behind the proxy.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published.').waitFor();
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  await tryReaders();
  pooled('down');
  pooled('up', '-d');
  await until(isAnswered);
  await inPage(browser, async page => {
    await page.goto(site);
    await page.getByText('Behind the proxy.').waitFor();
  });
  pooled('down');
  console.log(
    `with PostgreSQL, and three processes with a pooler and a proxy (${seconds} s to a post in a browser): ` +
      'one killed, a denial held on all, down and up',
  );
} finally {
  await browser.close();
}

/** A reader sees a post from both processes, also while one is killed; denied, from none of them. */
async function tryReaders(): Promise<void> {
  const admin = await signedIn('signIn', { email: 'mina@example.com', password });
  const account = { username: 'lucy', name: 'Lucy Westenra', email: 'lucy@example.com', password };
  const reader = await signedIn('signUp', account);
  const secret = 'For insiders alone.';
  await call('addTag', { name: 'insiders' }, admin);
  const { users } = await call('getUsers', { list: 'pending' }, admin);
  const userId = users.find(({ username }: { username: string }) => username === 'lucy').id;
  await call('approveUser', { userId, tags: ['insiders'] }, admin);
  await call('createPost', { type: 'short', content: secret, tags: ['insiders'], isDraft: false }, admin);

  const processes = ['web-one', 'web-two'];
  const sees = async (name: string) => {
    const address = podman(
      'inspect',
      '--format',
      '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
      `deploy_${name}_1`,
    );
    const answer = await fetch(`http://${address.trim()}:3000/`, { headers: { host, cookie: reader } });
    return (await answer.text()).includes(secret);
  };
  for (const name of processes)
    requireThat(await sees(name), `${name} does not show the post to its reader.`);
  const pid = podman('inspect', '--format', '{{.State.Pid}}', 'deploy_web-one_1').trim();
  process.kill(Number(pid), 'SIGKILL');
  for (let asked = 0; asked < 20; asked += 1) {
    const { status, body } = await ask('/', undefined, reader);
    requireThat(status === 200 && body.includes(secret), `After a kill: ${status} ${body}`);
  }
  await until(() => podman('exec', 'deploy_web-one_1', 'coterie', 'health'));
  await call('denyUser', { userId }, admin);
  for (const name of processes)
    requireThat(!(await sees(name)), `${name} shows the post to a denied reader.`);
}

function compose(name: string, files: readonly string[]): (...args: string[]) => void {
  const given = files.flatMap(file => ['-f', file]);
  return (...args) =>
    void execFileSync('podman-compose', [...given, ...args], {
      cwd: join(folder, name, 'deploy'),
      env: { ...process.env, SITE: host },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
}

function podman(...args: string[]): string {
  return execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function setupLinkOf(service: string): string {
  const logs = podman('logs', `deploy_${service}_1`);
  const link = /http\S+\/setup\?token=\S+/.exec(logs)?.[0];
  if (link === undefined) throw new Error(`No link for the first admin: ${logs}`);
  return link;
}

/** Tries something until it does not throw. */
async function until(works: () => unknown): Promise<void> {
  for (const end = performance.now() + 300_000; ; await wait(500)) {
    try {
      await works();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

async function isAnswered(): Promise<void> {
  const { status } = await ask('/');
  requireThat(status === 200, `The proxy answers ${status}.`);
}

async function inPage(browser: Browser, use: (page: Page) => Promise<void>): Promise<void> {
  await use(await browser.newPage({ ignoreHTTPSErrors: true }));
}

async function signedIn(name: string, data: object): Promise<string> {
  const { cookies } = await ask(`/api/${name}`, data);
  return cookies.map(line => line.split(';')[0]).join('; ');
}

async function call(name: string, data: object, cookie: string) {
  const { status, body } = await ask(`/api/${name}`, data, cookie);
  requireThat(status === 200, `${name}: ${status} ${body}`);
  return JSON.parse(body).result;
}

/** Asks the proxy, whose certificate is that of an authority of its own. */
async function ask(path: string, data?: object, cookie = '') {
  const sent = request({
    host: '127.0.0.1',
    servername: host,
    path,
    method: data === undefined ? 'GET' : 'POST',
    headers: { host, cookie, origin: site, ...(data && { 'content-type': 'application/json' }) },
    rejectUnauthorized: false,
  });
  sent.end(data && JSON.stringify({ data }));
  const [answer] = await once(sent, 'response');
  const chunks: Buffer[] = await answer.toArray();
  const cookies: string[] = answer.headers['set-cookie'] ?? [];
  return { status: Number(answer.statusCode), body: Buffer.concat(chunks).toString(), cookies };
}

function requireThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
