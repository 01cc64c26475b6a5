import { defineConfig } from '@playwright/test';
import { chromiumArgs, findChromium } from './scripts/chromium.ts';
import './test/support/no-settings.ts';

/** The journeys of the specification, on the built server, each site on a database and port of its own. */
export default defineConfig({
  testDir: 'test/e2e',
  globalSetup: './test/e2e/global-setup.ts',
  outputDir: 'test-results',
  // For two cores: journeys wait for pages half of their time.
  workers: 4,
  // What hangs ends; what a busy machine makes slow does not.
  timeout: 600_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    launchOptions: { executablePath: findChromium(), args: chromiumArgs },
    viewport: { width: 1280, height: 800 },
    // A trace costs each test a tenth more; `--trace on` makes one.
    trace: 'off',
    locale: 'en-US',
  },
});
