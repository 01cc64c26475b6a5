import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const known = [process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** A Firefox that is installed; undefined where there is none. */
export const firefoxPath = known.find(path => path !== undefined && existsSync(path));

/**
 * Starts it, driven by WebDriver BiDi, which every Firefox speaks; Playwright drives only builds of its own.
 */
export async function startFirefox(): Promise<Browser> {
  return await puppeteer.launch({
    browser: 'firefox',
    ...(firefoxPath !== undefined && { executablePath: firefoxPath }),
    headless: true,
    // What hangs ends; what a busy machine makes slow does not.
    protocolTimeout: 180_000,
  });
}

/** The browser of one person: a page with cookies of its own, and what has gone wrong in it. */
export class Visit {
  readonly page: Page;
  /** Errors that nothing caught or that were logged, and what the content policy has forbidden. */
  readonly faults: string[] = [];
  readonly #url: string;

  private constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    page.setDefaultTimeout(120_000);
    page.on('pageerror', error => this.faults.push(String(error)));
    page.on('console', message => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
  }

  static async begin(browser: Browser, url: string): Promise<Visit> {
    const context = await browser.createBrowserContext();
    const visit = new Visit(await context.newPage(), url);
    await visit.page.evaluateOnNewDocument(() => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`The content policy forbids ${effectiveDirective} ${blockedURI}`),
      );
    });
    return visit;
  }

  /** Opens a page, and goes on once the app has taken it over. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`);
    await this.page.waitForSelector('html[data-hydrated]');
  }

  /** Presses what has this role and name, as a screen reader is told them. */
  async press(role: string, name: string): Promise<void> {
    await this.page.locator(named(role, name)).click();
  }

  async fill(fields: Record<string, string>): Promise<void> {
    for (const [label, words] of Object.entries(fields)) {
      const field = `::-p-xpath(//*[@id=//label[normalize-space()="${label}"]/@for])`;
      await this.page.locator(field).fill(words);
    }
  }

  async sees(role: string, name: string): Promise<void> {
    await this.page.waitForSelector(named(role, name));
  }

  async reads(words: string): Promise<void> {
    await this.page.waitForFunction(text => document.body.innerText.includes(text), {}, words);
  }

  async readsNoMore(words: string): Promise<void> {
    await this.page.waitForFunction(text => !document.body.innerText.includes(text), {}, words);
  }

  /** Resolves once so many elements are there. */
  async counts(selector: string, count: number): Promise<void> {
    await this.page.waitForFunction(
      (all, wanted) => document.querySelectorAll(all).length === wanted,
      {},
      selector,
      count,
    );
  }

  async isAt(path: string): Promise<void> {
    await this.page.waitForFunction(wanted => location.pathname + location.search === wanted, {}, path);
  }

  async logIn(username: string, password: string): Promise<void> {
    await this.go('/login');
    await this.fill({ Email: `${username}@example.com`, Password: password });
    await this.press('button', 'Log In');
    await this.sees('button', 'Logout');
  }
}

const named = (role: string, name: string) => `::-p-aria([name="${name}"][role="${role}"])`;
