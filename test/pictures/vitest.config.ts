import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';

/** `npm run test:pictures`, which the normal run does not include: it takes pictures that lie elsewhere. */
export default defineConfig({
  ...usual,
  root: join(import.meta.dirname, '../..'),
  test: {
    ...usual.test,
    include: ['test/pictures/pictures-by-others.ts'],
    globalSetup: [],
    // Nothing is built.
    alias: [],
    testTimeout: 1_800_000,
  },
});
