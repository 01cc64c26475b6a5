import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once a program takes connections at a port. Throws with `sentence` where it has ended instead. */
export async function untilListening(port: number, child: ChildProcess, sentence: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(sentence);
    const socket = connect(port, '127.0.0.1');
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) return;
    await sleep(20);
  }
}

/** Kills a program, and resolves when it has ended. */
export async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
