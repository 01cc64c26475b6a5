'use strict';

// After `npm ci`, and before a build: installs what npm left out. npm chooses optional packages, which hold
// the machine code, by the Node.js that runs npm, and says nothing of those that need a newer one: under
// Node.js 18 those of sharp and rolldown. Coterie runs them with its own Node.js, so the same npm is run with
// that one. In JavaScript that any Node.js understands.

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { hasGlibc, isNewEnough, requireNode } = require('../bin/node.js');

const root = join(__dirname, '..');
const installed = Object.entries(require('../package-lock.json').packages);
// Who left the packages for development out has nothing to build with, and wants nothing to be built.
const hasDevelopment = existsSync(join(root, 'node_modules/vite/package.json'));

/** Optional packages for this machine that are not there. */
function missing() {
  return installed
    .filter(
      ([place, { dev, optional, os, cpu, libc }]) =>
        optional &&
        (hasDevelopment || !dev) &&
        includes(os, process.platform) &&
        includes(cpu, process.arch) &&
        (libc === undefined || includes(libc, hasGlibc ? 'glibc' : 'musl')) &&
        !existsSync(join(root, place, 'package.json')),
    )
    .map(([place]) => place.replace(/^.*node_modules\//, ''));
}

function includes(list, value) {
  return list !== undefined && [].concat(list).includes(value);
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

const npm = process.env.npm_execpath;
if (!existsSync(join(root, 'node_modules/sharp'))) {
  fail('The packages of Coterie are not installed: run "npm ci" first.');
}
if (!hasDevelopment && process.env.npm_lifecycle_event !== 'prepare') {
  fail('The packages that build Coterie are not installed: run "npm ci --include=dev" first.');
}
if (missing().length > 0) {
  const node = requireNode();
  if (!isNewEnough && npm !== undefined && /npm-cli\.js$/.test(npm)) {
    process.stdout.write(
      `npm under Node.js ${process.version} left out packages that need a newer one; Coterie's own adds them.\n`,
    );
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    spawnSync(node, [npm, 'install', ...options], { cwd: root, stdio: 'inherit' });
  }
  if (missing().length > 0) {
    fail(`Packages are missing: ${missing().join(', ')}. Run "npm ci --include=optional" with Node.js 24.`);
  }
}
