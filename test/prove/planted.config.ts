import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';
import { type Mistake, withMistake } from './mistake.ts';

const mistake: Mistake = JSON.parse(process.env.MISTAKE ?? '');
const target = join(import.meta.dirname, '../..', mistake.file);

/** Runs tests on sources with the mistake that the variable MISTAKE holds as JSON (planted-test.ts). */
export default mergeConfig(
  usual,
  defineConfig({
    root: join(import.meta.dirname, '../..'),
    // A cache of an earlier run would have no mistake, or another one.
    test: { fsModuleCache: false },
    plugins: [
      {
        name: 'planted',
        enforce: 'pre',
        transform: (code, id) => (id.split('?')[0] === target ? withMistake(code, mistake) : undefined),
      },
    ],
  }),
);
