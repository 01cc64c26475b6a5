#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`Coterie needs Node.js 24 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
enableCompileCache();
await import('../dist/server/main.js');
