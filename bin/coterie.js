#!/usr/bin/env node
// As a whole: a name that an older Node.js does not have would end the program before the sentence below.
import * as module from 'node:module';
import { setFlagsFromString } from 'node:v8';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`Coterie needs Node.js 24 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
module.enableCompileCache();
// V8 lets its space for new objects grow to 48 MB and more, and keeps it: with what dies there half a minute of requests
// later, a loaded server would hold a third more, and each open stream of comments twice as much (bench/).
setFlagsFromString('--semi-space-growth-factor=1');
await import('../dist/server/main.js');
