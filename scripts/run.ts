import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
export async function runAll(
  commands: readonly (readonly [command: string, ...args: string[]])[],
): Promise<void> {
  for (const [command, ...args] of commands) {
    const code = await run(command, args);
    if (code !== 0) process.exit(code);
  }
}
