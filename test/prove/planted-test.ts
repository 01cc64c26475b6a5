import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Hunted } from './hunt.ts';
import type { Mutant } from './mutant.ts';

const root = join(import.meta.dirname, '../..');

/** Runs the test that should find a mistake, on sources with that mistake (planted.config.ts). */
export async function runTest({ file, at, put, test = '' }: Mutant): Promise<Hunted> {
  const [path = '', ...title] = test.split(' > ');
  const args = ['run', '--config', 'test/prove/planted.config.ts', path];
  if (title.length > 0) args.push('-t', title.join(' '));
  const start = performance.now();
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: root,
    // Its output is read below, and colours would separate the words.
    env: {
      ...process.env,
      FORCE_COLOR: undefined,
      NO_COLOR: '1',
      MISTAKE: JSON.stringify({ file, at, put }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const failed = /^ *(?:FAIL|×) .*$/m.exec(`${out}\n${err}`)?.[0].trim();
  if (code !== 0 && failed === undefined) throw new Error(`${test} was not run: ${err || out}`);
  return {
    finding: code === 0 ? undefined : failed,
    seed: 0,
    steps: 0,
    stepsOfHistory: 0,
    seconds: Math.round((performance.now() - start) / 1_000),
  };
}
