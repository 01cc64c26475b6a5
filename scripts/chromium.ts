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
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a Chromium: one that is installed; else one that Playwright, or else the system's packages, install. */
export function findChromium(): string {
  const installed = installedChromium();
  if (installed !== undefined) return installed;
  process.stdout.write('No Chromium found; installing one.\n');
  for (const [command, ...args] of [
    ['npx', 'playwright', 'install', '--with-deps', 'chromium'],
    ['sh', '-c', 'apt-get update && apt-get install -y chromium'],
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
