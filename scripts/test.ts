import { findChromium } from './chromium.ts';
import { runAll } from './run.ts';
import { installTestPrograms } from './test-programs.ts';

/** `npm test`: checks, unit and integration tests on both engines, then the built server in a browser. */
const [only, ...rest] = process.argv.slice(2);
// First, because it may fail; vitest needs no browser.
if (only === undefined || only === 'e2e') process.env.CHROMIUM_PATH = findChromium();
installTestPrograms();
if (only === 'e2e') {
  await runAll([
    ['node', 'scripts/build.ts'],
    ['playwright', 'test', ...rest],
  ]);
} else if (only !== undefined) {
  await runAll([['vitest', 'run', only, ...rest]]);
} else {
  await runAll([
    ['node', 'scripts/check.ts'],
    ['vitest', 'run'],
    ['node', 'scripts/build.ts'],
    ['playwright', 'test'],
  ]);
}
