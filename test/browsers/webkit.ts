import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { Builder, By, Key, until, type WebDriver, type WebElement } from 'selenium-webdriver';
import { freePort } from '../support/free-port.ts';
import { journeys } from './journeys.ts';
import { likely, type Tab } from './visit.ts';

/**
 * `npm run test:webkit`: the main journeys in the WebKit of Debian (webkit2gtk-driver), the engine of every
 * browser on an iPhone, driven by WebDriver on a screen that nobody sees (xvfb).
 */
const programs = ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb'];
/** Only ends what hangs: far above what a busy machine takes. Milliseconds. */
const timeout = 120_000;

journeys({
  missing: !programs.every(existsSync) && 'WebKit is not installed: install webkit2gtk-driver and xvfb.',
  start: async () => {
    const [binary] = globSync('/usr/lib/*/webkit2gtk-4*/MiniBrowser');
    const children: ChildProcess[] = [];
    const drivers: WebDriver[] = [];
    // It chooses a display that is free, and tells its number.
    const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(screen);
    const [display] = await once(screen.stdout, 'data');
    const env = { ...process.env, DISPLAY: `:${String(display).trim()}`, NO_AT_BRIDGE: '1' };
    return {
      // A driver has one session, and a session the cookies of one person.
      begin: async () => {
        const port = await freePort();
        children.push(spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' }));
        await answers(port);
        const driver = await new Builder()
          .usingServer(`http://127.0.0.1:${port}`)
          .withCapabilities({
            browserName: 'MiniBrowser',
            'webkitgtk:browserOptions': { binary, args: ['--automation'] },
          })
          .build();
        drivers.push(driver);
        return webkitTab(driver);
      },
      close: async () => {
        for (const driver of drivers) await driver.quit();
        for (const child of children) child.kill();
      },
    };
  },
});

async function answers(port: number): Promise<void> {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const isThere = await fetch(`http://127.0.0.1:${port}/status`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error('WebKitWebDriver did not start.');
}

const keys = {
  Tab: Key.TAB,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  ArrowRight: Key.ARROW_RIGHT,
  ' ': ' ',
};

function webkitTab(driver: WebDriver): Tab {
  const evaluate = async (expression: string): Promise<unknown> =>
    await driver.executeScript(`return ${expression}`);
  const find = async (role: string, name: string): Promise<WebElement | undefined> => {
    const candidates: WebElement[] = await driver.executeScript(`return ${likely(role, name)}`);
    // The browser says what it tells a screen reader.
    for (const candidate of candidates) {
      const [itsRole, itsName] = await Promise.all([
        candidate.getAriaRole(),
        candidate.getAccessibleName(),
      ]).catch(() => []);
      if (itsRole === role && itsName === name) return candidate;
    }
    return undefined;
  };
  const seen = async (role: string, name: string) =>
    await driver.wait(async () => await find(role, name), timeout, `${role} ${name}`);
  return {
    faults: [],
    open: async url => await driver.get(url),
    reload: async () => await driver.navigate().refresh(),
    back: async () => await driver.navigate().back(),
    evaluate,
    until: async expression =>
      void (await driver.wait(async () => await evaluate(expression), timeout, expression)),
    sees: async (role, name) => void (await seen(role, name)),
    press: async (role, name) => {
      // Between finding it and pressing it the page may draw it anew.
      await driver.wait(
        async () => {
          const element = await find(role, name);
          return await element?.click().then(
            () => true,
            () => false,
          );
        },
        timeout,
        `${role} ${name} could not be pressed`,
      );
    },
    click: async selector =>
      await (await driver.wait(until.elementLocated(By.css(selector)), timeout)).click(),
    type: async words => await driver.actions().sendKeys(words).perform(),
    key: async name => await driver.actions().sendKeys(keys[name]).perform(),
    upload: async (selector, paths) => {
      const input = await driver.wait(until.elementLocated(By.css(selector)), timeout);
      await input.sendKeys(paths.join('\n'));
    },
  };
}
