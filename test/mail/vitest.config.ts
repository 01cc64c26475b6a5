import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';

/**
 * `npm run test:mail`, which tests of the normal run do not include: it needs installed programs and root.
 */
export default defineConfig({
  ...usual,
  root: join(import.meta.dirname, '../..'),
  test: {
    ...usual.test,
    include: ['test/mail/{real-programs,machine-mail,mailbox}.ts'],
    globalSetup: [],
    // Nothing is built.
    alias: [],
    testTimeout: 900_000,
  },
});
