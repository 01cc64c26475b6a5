import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';

/** Of this worker; an earlier test file may have left one that is idle. */
const running = new Set<ChildProcess>();
subscribe('child_process', message => {
  const { process } = message as { process: ChildProcess };
  running.add(process);
  process.once('exit', () => running.delete(process)).once('error', () => running.delete(process));
});

/** Ends the processes of a program of the server, so that the next job of it starts one. */
export async function endProcesses(program: string): Promise<void> {
  const ofProgram = [...running].filter(child => child.spawnargs.some(arg => arg.includes(program)));
  await Promise.all(
    ofProgram.map(async child => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }),
  );
}

/** The processes that are started from now on; each is given to `onStart` before it runs. */
export function startedProcesses(onStart: (child: ChildProcess) => void = () => {}) {
  const children: ChildProcess[] = [];
  const onMessage = (message: unknown) => {
    const { process } = message as { process: ChildProcess };
    children.push(process);
    // It has its number only after this.
    process.once('spawn', () => onStart(process));
  };
  subscribe('child_process', onMessage);
  return { children, [Symbol.dispose]: () => unsubscribe('child_process', onMessage) };
}
