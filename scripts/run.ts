import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';

// Commands by their names: this Node.js, because the one that runs npm may be older, and the programs of the
// packages.
const programs = [dirname(process.execPath), join(import.meta.dirname, '../node_modules/.bin')];
process.env.PATH = [...programs, process.env.PATH].join(delimiter);

type Command = readonly [command: string, ...args: string[]];

/** Runs a command with this terminal; resolves with its exit code. */
export async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'close');
  return code ?? 1;
}

/** Runs commands one after another; ends the process with the first that fails. */
export async function runAll(commands: readonly Command[]): Promise<void> {
  const code = await runUntilFailure(commands);
  if (code !== 0) process.exit(code);
}

/**
 * Runs lists of commands beside each other. Each ends with its first command that fails; then the process
 * ends, too.
 */
export async function runBeside(...lists: readonly (readonly Command[])[]): Promise<void> {
  const codes = await Promise.all(lists.map(runUntilFailure));
  const failed = codes.find(code => code !== 0);
  if (failed !== undefined) process.exit(failed);
}

async function runUntilFailure(commands: readonly Command[]): Promise<number> {
  for (const [command, ...args] of commands) {
    const code = await run(command, args);
    if (code !== 0) return code;
  }
  return 0;
}
