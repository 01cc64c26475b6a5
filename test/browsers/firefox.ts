import { existsSync } from 'node:fs';
import puppeteer, { type Page } from 'puppeteer-core';
import { journeys } from './journeys.ts';
import { likely, type Tab } from './visit.ts';

/**
 * `npm run test:firefox`: the main journeys in a Firefox that is installed, driven by WebDriver BiDi, which
 * every Firefox speaks; Playwright drives only builds of its own.
 */
const known = [process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const firefoxPath = known.find(path => path !== undefined && existsSync(path));

journeys({
  missing:
    firefoxPath === undefined &&
    'Firefox is not installed: install firefox-esr, or name a Firefox in FIREFOX_PATH.',
  start: async () => {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      ...(firefoxPath !== undefined && { executablePath: firefoxPath }),
      headless: true,
      // Only ends what hangs: far above what a busy machine takes.
      protocolTimeout: 180_000,
    });
    return {
      begin: async () => {
        const context = await browser.createBrowserContext();
        return await firefoxTab(await context.newPage());
      },
      close: async () => await browser.close(),
    };
  },
});

async function firefoxTab(page: Page): Promise<Tab> {
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  // A page with unsaved words asks before it is left.
  page.on('dialog', dialog => void dialog.accept());
  const until = async (expression: string) => {
    // Each person looks at their own page; those of others are behind it.
    await page.bringToFront();
    return await page.waitForFunction(expression, { polling: 100 });
  };
  return {
    faults,
    open: async url => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    back: async () => void (await page.goBack()),
    evaluate: async expression => await page.evaluate(expression),
    until: async expression => void (await until(expression)),
    sees: async (role, name) => void (await until(`${likely(role, name)}.length > 0`)),
    press: async (role, name) => {
      const found = await until(`${likely(role, name)}.find(element => element.ariaDisabled !== 'true')`);
      await (await found.asElement()?.toElement(role === 'link' ? 'a' : 'button'))?.click();
    },
    click: async selector => await page.locator(selector).click(),
    type: async words => await page.keyboard.type(words),
    key: async name => await page.keyboard.press(name),
    upload: async (selector, paths) => {
      const input = await page.waitForSelector(selector);
      await (await input?.toElement('input'))?.uploadFile(...paths);
    },
  };
}
