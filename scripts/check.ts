import { runBeside } from './run.ts';

/**
 * `npm run check`: types, lint and format, import directions, unused code. The compiler caches its results,
 * so that it checks only changed files again, and has one checker: each of the four default ones computes all
 * types itself, which takes more than twice the processor time.
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
