import { runBeside } from './run.ts';

/** `npm run check`: types, lint and format, import directions, unused code. */

/**
 * What was found the last time is kept, so that only what has changed since is looked at again. With one checker: each of the four
 * that are the default works out all types for itself, which takes more than twice the processor time.
 */
const checkTypes = (project: string, name: string) =>
  [
    'tsc',
    '--noEmit',
    '--checkers',
    '1',
    '--incremental',
    '--tsBuildInfoFile',
    `.cache/types-${name}.json`,
    '-p',
    project,
  ] as const;

await runBeside(
  [checkTypes('test', 'test'), ['node', 'scripts/check-imports.ts']],
  [['biome', 'check', '--error-on-warnings'], checkTypes('.', 'server'), checkTypes('web', 'web'), ['knip']],
);
