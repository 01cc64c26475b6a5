#!/usr/bin/env node
// As a whole: a name that an older Node.js does not have would end the program before the sentence below.
import * as module from 'node:module';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`Coterie needs Node.js 24 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
module.enableCompileCache();
// Old objects are collected once they have grown by 30 %. By default V8 lets them grow the more, the faster objects are made: on a
// fast machine a loaded server held 50 MB more, and answered no more requests for it (bench/).
setFlagsFromString('--heap-growing-percent=30');
sizeNewSpace();
setInterval(sizeNewSpace, 10_000).unref();
await import('../dist/server/main.js');

/**
 * Gives V8 8 MB for new objects, and no more. It would let that space grow to 48 MB and keep it: with what dies there half a minute
 * of requests later, a loaded server would hold a third more, and each open stream of comments twice as much (bench/). In the
 * 2 MB that it begins with there is no room for all that a busy server works on at a time: it is moved to where it is
 * collected late. V8 takes no size once it runs, but it can be told whether the space may grow, which it does when much of
 * what is in it lives on; on a quiet site it takes room back.
 */
function sizeNewSpace() {
  const enough = 8 * 1024 * 1024;
  const size = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size;
  const alive = [];
  setFlagsFromString('--semi-space-growth-factor=2');
  for (let tries = 0; tries < 1_000 && (size() ?? enough) < enough; tries += 1) {
    alive.push(Array.from({ length: 4_000 }, () => ({})));
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}
