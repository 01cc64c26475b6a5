import { runAll } from './run.ts';

/** `npm run check`: types, lint and format, import directions, unused code. */
await runAll([
  ['tsc', '--noEmit'],
  ['tsc', '--noEmit', '-p', 'web'],
  ['tsc', '--noEmit', '-p', 'test'],
  ['biome', 'check', '--error-on-warnings'],
  ['node', 'scripts/check-imports.ts'],
  ['knip'],
]);
