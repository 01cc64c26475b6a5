import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { expectAccessible } from './axe.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';

/** From an empty folder to a member's like, as a person would do it. */

test.use({ startsProgram: true });

/** The posts of the demonstration, which the project carries: 23 that are published, two drafts. */
const posts = join(import.meta.dirname, '../../scripts/demo/posts');

test('an empty folder becomes a site with an admin, posts, and a member who likes one', async ({
  site,
  page,
  browser,
}) => {
  await page.goto(await site.setupLink());
  await page.getByLabel('Username').fill('mina');
  await page.getByLabel('Full Name').fill('Mina Harker');
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('link', { name: 'mina' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Admin' })).toBeVisible();

  const report = await site.cli('import', posts);
  expect(report).toMatch(/^Posts: 25 created\.$/m);
  await page.goto('/');
  await expect(page.locator('article')).toHaveCount(10);
  await hydrated(page);
  // The timeline is reloaded when a reader comes back, and the button is hidden meanwhile.
  await page.waitForFunction(() => sessionStorage.getItem('timeline-left') === null);
  await page.getByRole('button', { name: 'Load More Posts' }).click();
  await expect(page.locator('article')).toHaveCount(20);

  const other = await browser.newContext({ baseURL: site.url });
  const reader = await other.newPage();
  await reader.goto('/');
  await reader.getByRole('link', { name: 'Sign Up' }).click();
  await reader.getByLabel('Username').fill('lucy_w');
  await reader.getByLabel('Full Name').fill('Lucy Westenra');
  await reader.getByLabel('Email').fill('lucy@example.com');
  await reader.getByLabel('Password').fill('arthur');
  await reader.getByRole('button', { name: 'Sign Up' }).click();
  await expect(reader.getByRole('link', { name: 'lucy_w' })).toBeVisible();
  expect(await site.cli('user', 'list', '--status', 'pending')).toContain('lucy_w');
  expect(await site.cli('user', 'approve', 'lucy_w')).toContain('approved');

  await reader.getByRole('button', { name: 'Logout' }).click();
  await expect(reader.getByRole('link', { name: 'Login' })).toBeVisible();
  await reader.getByRole('link', { name: 'Login' }).click();
  await reader.getByLabel('Email').fill('lucy@example.com');
  await reader.getByLabel('Password').fill('arthur');
  await reader.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(reader.getByRole('link', { name: 'lucy_w' })).toBeVisible();
  await expect(reader).toHaveURL('/');

  const [newest] = (await callFrom(reader, 'getPosts', {})).posts;
  await reader.goto(`/post/${newest?.id}`);
  // An essay has the control above and below its text.
  const liked = reader.getByRole('button', { name: 'Like, 1 like' }).first();
  // It is shown before it is stored.
  const stored = reader.waitForResponse('**/api/setLike');
  await reader.getByRole('button', { name: 'Like, 0 likes' }).first().click();
  await expect(liked).toHaveAttribute('aria-pressed', 'true');
  await stored;
  await reader.reload();
  await expect(liked).toHaveAttribute('aria-pressed', 'true');
  await other.close();
});

test('posts can be read without scripts', async ({ site, people }) => {
  await site.seed('--posts', '25', '--members', '3');
  const page = await people.visitor({ javaScriptEnabled: false });
  await page.goto('/');
  await expect(page.locator('article')).toHaveCount(10);
  await page.locator('article h2 a').first().click();
  await expect(page.locator('article .prose')).toBeVisible();
  await expect(page.locator('h1')).toBeVisible();
});

test('the server stops gracefully, and after a restart everything is as before', async ({ site, page }) => {
  await site.createAdminByCommand('mina');
  await page.goto('/');
  // A connection that a browser opens in advance does not keep the server from stopping.
  const silent = connect(Number(new URL(site.url).port), 'localhost').on('error', () => {});
  await once(silent, 'connect');
  await site.stop();
  expect(site.output).not.toContain('closing connections');
  await site.start();
  await page.goto('/login');
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Admin' })).toBeVisible();
});

test('axe finds nothing on the pages that no other journey visits', async ({ site, page, allowedErrors }) => {
  // The browser logs the 404 of the missing post, and the 403 of a link that is not valid.
  allowedErrors.push(/40[34]/);
  for (const path of [await site.setupLink(), '/setup?token=x', '/post/nothing']) {
    await page.goto(path);
    await expectAccessible(page);
  }
});

test('npm start passes a signal to stop on to the server, which ends by itself', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'coterie-npm-'));
  const settings = { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'info' };
  // What it would build first is there.
  const npm = spawn('npm', ['start', '--ignore-scripts'], { env: { ...process.env, ...settings } });
  const exited = once(npm, 'exit');
  let output = '';
  for await (const chunk of npm.stdout) {
    output += chunk;
    if (!npm.killed && output.includes('Coterie is running at')) npm.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
  expect(output).toContain('Coterie has stopped');
  await rm(dataDir, { recursive: true });
});
