import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

/** As a program in a container or as root needs them, and without the calls that a browser makes by itself. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const known = [
  process.env.CHROMIUM_PATH,
  // Without the parts that only a window needs, it runs the journeys in three quarters of the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a Chromium: one that is installed; else one that the system's packages or Playwright install. */
export function findChromium(): string {
  const installed = installedChromium();
  if (installed !== undefined) return installed;
  process.stdout.write('No Chromium found; installing one.\n');
  for (const [command, ...args] of [
    ['sh', '-c', 'apt-get update && apt-get install -y chromium-headless-shell'],
    ['npx', 'playwright', 'install', '--with-deps', '--only-shell', 'chromium'],
    ['sh', '-c', 'sudo apt-get update && sudo apt-get install -y chromium'],
  ] as const) {
    try {
      execFileSync(command, args, { stdio: 'inherit' });
    } catch {
      continue;
    }
    const found = installedChromium();
    if (found !== undefined) return found;
  }
  throw new Error('Chromium could not be installed. Install it, or name it in CHROMIUM_PATH.');
}

function installedChromium(): string | undefined {
  return [...known, chromium.executablePath()].find(path => path !== undefined && existsSync(path));
}
