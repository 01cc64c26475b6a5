import { defineConfig } from '@playwright/test';
import { chromiumArgs, findChromium } from './scripts/chromium.ts';

/** The journeys of the specification, on the built server, each site on a database and port of its own. */
export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // For two cores: journeys wait for pages a third of their time.
  workers: 3,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env.CI),
  // A machine that others load as well can lose a focus or a second; a journey that is broken fails each time.
  retries: process.env.CI ? 2 : 0,
  reporter: [['list']],
  use: {
    launchOptions: { executablePath: findChromium(), args: chromiumArgs },
    viewport: { width: 1280, height: 800 },
    // A trace costs each test a tenth more; `--trace on` makes one.
    trace: 'on-first-retry',
    locale: 'en-US',
  },
});
