'use strict';

// Preloaded, makes a Node.js look like an older one: with its version, and without a way to become another
// program.
Object.defineProperty(process.versions, 'node', { value: '18.20.8' });
Object.defineProperty(process, 'version', { value: 'v18.20.8' });
process.execve = undefined;
if (process.env.TEST_ARCH) Object.defineProperty(process, 'arch', { value: process.env.TEST_ARCH });
