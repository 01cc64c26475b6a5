import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { freePort } from '../support/free-port.ts';
import { scratchFolder } from '../support/scratch.ts';
import { adminPassword } from './accounts.ts';
import { SiteHost } from './host.ts';
import { People } from './people.ts';
import { RunningSite } from './site.ts';

type Fixtures = {
  /** Where the site can be reached. */
  port: number;
  /** Additional settings of this test's site: a mail server, a provider. */
  settings: Record<string, string>;
  /** Whether the site is the program as a person starts it, and not one of the worker's host of sites. */
  startsProgram: boolean;
  /** The built server on an empty folder. */
  site: RunningSite;
  people: People;
  /** The test's page, with an admin signed in. */
  admin: Page;
  failures: string[];
  /**
   * Violations of the content policy on the test's pages: a test that causes one on purpose must remove it.
   */
  violations: string[];
  /** Console errors that a test causes on purpose. */
  allowedErrors: RegExp[];
};

type WorkerFixtures = { browser: Browser; host: SiteHost };

/** Violations of the content policy in the running test. A worker runs one test at a time. */
const violations: string[] = [];

/** Records every violation of the content policy in all pages of a browser context. */
async function watchPolicy(context: BrowserContext): Promise<void> {
  await context.exposeBinding('noteViolation', (_, violation: string) => violations.push(violation));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
      const { noteViolation } = window as typeof window & { noteViolation(text: string): void };
      noteViolation(`${location.pathname}: ${effectiveDirective} ${blockedURI} ${sample}`.trim());
    });
  });
}

/**
 * A test with a site of its own. It fails on an error in the browser's console, an uncaught error or a
 * violation of the content policy.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  browser: [
    async ({ browser }, use) => {
      const newContext = browser.newContext.bind(browser);
      browser.newContext = async options => {
        const context = await newContext(options);
        if (options?.javaScriptEnabled !== false) {
          context.on('page', waitForScripts);
          await watchPolicy(context);
        }
        return context;
      };
      await use(browser);
    },
    { scope: 'worker' },
  ],
  // Playwright reads the needed fixtures from the parameter, so it must be a destructuring pattern.
  port: async ({ browserName: _ }, use) => use(await freePort()),
  settings: async ({ browserName: _ }, use) => use({}),
  host: [
    async ({ browserName: _ }, use) => {
      const host = new SiteHost();
      await use(host);
      await host.stop('SIGKILL');
    },
    { scope: 'worker' },
  ],
  startsProgram: [false, { option: true }],
  site: async ({ port, settings, host, startsProgram }, use) => {
    const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-e2e-'));
    const site = new RunningSite(dataDir, port, settings, startsProgram ? {} : { host });
    await site.start();
    await use(site);
    await site.stop();
    // 50 and 60 are errors and worse in the server's log.
    expect(site.output).not.toMatch(/"level":[56]0/);
    await rm(dataDir, { recursive: true, force: true });
  },
  people: async ({ site, browser }, use) => {
    const people = new People(site, browser);
    await use(people);
    await people.close();
  },
  admin: async ({ page, people }, use) => use(await people.admin(page)),
  baseURL: async ({ site }, use) => use(site.url),
  allowedErrors: async ({ browserName: _ }, use) => use([]),
  violations: [
    async ({ browserName: _ }, use) => {
      violations.length = 0;
      await use(violations);
      expect(violations).toEqual([]);
    },
    { auto: true },
  ],
  failures: [
    async ({ context, allowedErrors }, use) => {
      const failures: string[] = [];
      const allowed: RegExp[] = [];
      // An open page may be asking for what only a member may have at the moment of a log-out.
      context.on('request', request => {
        if (/\/api\/signOut(Everywhere)?$/.test(request.url()))
          allowed.push(/401 \(Unauthorized\).*\/api\/\w+$/);
      });
      context.on('console', message => {
        if (message.type() === 'error') failures.push(`${message.text()} ${message.location().url}`);
      });
      context.on('weberror', error => failures.push(String(error.error())));
      await use(failures);
      expect(
        failures.filter(text => ![...allowed, ...allowedErrors].some(error => error.test(text))),
      ).toEqual([]);
    },
    { auto: true },
  ],
});

/** Waits until the page is hydrated: from then on its buttons work. */
export async function hydrated(page: Page): Promise<void> {
  await page.locator('html[data-hydrated]').waitFor();
}

/** Scripts are loaded after the text, so a journey that opens a page waits until it is hydrated. */
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

/** Opens a part of a page that is folded away, by keyboard. */
export async function unfold(page: Page, name: string): Promise<void> {
  const summary = page.locator('summary', { hasText: name });
  const isOpen = await summary.evaluate(({ parentElement }) => parentElement?.hasAttribute('open'));
  if (!isOpen) await summary.press('Enter');
}

/** Signs a page's context in through the operation that the form calls. */
export async function signIn(page: Page, username: string, password = adminPassword): Promise<void> {
  await callFrom(page, 'signIn', { email: `${username}@example.com`, password });
}

export { expect };
