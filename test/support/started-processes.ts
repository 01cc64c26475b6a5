import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

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
