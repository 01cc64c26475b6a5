import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

/** Options for running in a container or as root, and without the browser's own network requests. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A Chromium without windows: each page of a full browser takes four times the processor time. */
const shells = ['/usr/bin/chromium-headless-shell', playwrightShell()];

const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  chromium.executablePath(),
];

const aptInstall = 'apt-get install -y --no-remove chromium-headless-shell';

/**
 * The path of a Chromium: the one that CHROMIUM_PATH names; else one without windows, which root on Debian
 * gets installed even next to a full browser; else a full one; else one that the system's packages or
 * Playwright install.
 */
export function findChromium(): string {
  const shell = firstOf([process.env.CHROMIUM_PATH]) ?? firstOf(shells);
  if (shell !== undefined) return shell;
  const full = firstOf(browsers);
  if (full !== undefined) {
    return (isRootOfDebian() ? install('sh', '-c', aptInstall) : undefined) ?? full;
  }
  process.stdout.write('No Chromium found; installing one.\n');
  const found =
    install('sh', '-c', `apt-get update && ${aptInstall}`) ??
    install('npx', 'playwright', 'install', '--with-deps', '--only-shell', 'chromium') ??
    install('sh', '-c', 'sudo apt-get update && sudo apt-get install -y chromium');
  if (found !== undefined) return found;
  throw new Error('Chromium could not be installed. Install it, or name it in CHROMIUM_PATH.');
}

/** Runs a command that installs a Chromium. Returns its path, or undefined if the command fails. */
function install(command: string, ...args: string[]): string | undefined {
  try {
    execFileSync(command, args, { stdio: 'inherit', timeout: 300_000 });
  } catch {
    return undefined;
  }
  return firstOf(shells) ?? firstOf(browsers);
}

function isRootOfDebian(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** The place of Playwright's Chromium without windows: Playwright itself only gives that of the full one. */
function playwrightShell(): string {
  return chromium
    .executablePath()
    .replace(
      /chromium-(\d+)\/chrome-([^/]+)\/.*$/,
      'chromium_headless_shell-$1/chrome-headless-shell-$2/chrome-headless-shell',
    );
}

function firstOf(paths: readonly (string | undefined)[]): string | undefined {
  return paths.find(path => path !== undefined && existsSync(path));
}
