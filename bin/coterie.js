#!/usr/bin/env node
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { canReplace, isNewEnough, requireNode, runInPlace } = require('./node.js');
const options = require('./options.json');

/**
 * Old objects are collected once they have grown by 30 %. By default V8 lets them grow the more, the faster
 * objects are made: on a fast machine a loaded server held 50 MB more, and answered no more requests for it.
 * New objects get 8 MB, two halves, from the beginning, because a start that grows to them takes 7 % longer
 * (docs/decisions/0048-how-light.md). Once the site runs, they may grow to 32 MB
 * (docs/decisions/0011-what-is-cached.md). An import makes and drops so much that it would spend half of
 * its time collecting, and it ends.
 */
const flags = process.argv[2] === 'import' ? [] : options.flags;

/**
 * One arena of memory for all threads, which gives back what is free: the process that decodes pictures
 * takes 71 MB in place of 123 for a photo of 12 megapixels. glibc reads these when a process starts.
 */
const memory = process.platform === 'linux' ? options.memory : {};

// An older Node.js may have options that the newer one does not know.
const ownOptions = isNewEnough ? process.execArgv : [];
// What is set already stays: by this file, or by whoever starts it.
const given = ownOptions.concat((process.env.NODE_OPTIONS || '').split(' '));
const newFlags = flags.filter(flag => !given.some(other => other.split('=')[0] === flag.split('=')[0]));
const newMemory = Object.keys(memory).filter(name => process.env[name] === undefined);

// A start takes 20 ms longer for it: what the packages' `coterie start` runs has all of this already.
if (!isNewEnough || (canReplace && newFlags.length + newMemory.length > 0)) {
  const args = newFlags.concat(ownOptions, [__filename], process.argv.slice(2));
  runInPlace(requireNode(), args, Object.assign({}, memory, process.env));
} else {
  newFlags.forEach(flag => {
    setFlagsFromString(flag);
  });
  // Until the site runs (server/start.ts). As an option V8 would not take it.
  if (flags.length > 0) setFlagsFromString('--semi-space-growth-factor=1');
  const program = join(__dirname, '../dist/server/main.js');
  if (existsSync(program)) import(require('node:url').pathToFileURL(program).href);
  else {
    process.stderr.write('Coterie is not built yet: run "npm run build".\n');
    process.exit(1);
  }
}
