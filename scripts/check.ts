import { runAll } from './run.ts';

/** `npm run check`: types, lint and format, import directions, unused code. */
/** What was found the last time is kept, so that only what has changed since is looked at again. */
const checkTypes = (project: string, name: string) =>
  [
    'tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    `.cache/types-${name}.json`,
    '-p',
    project,
  ] as const;

await runAll([
  checkTypes('.', 'server'),
  checkTypes('web', 'web'),
  checkTypes('test', 'test'),
  ['biome', 'check', '--error-on-warnings'],
  ['node', 'scripts/check-imports.ts'],
  ['knip'],
]);
