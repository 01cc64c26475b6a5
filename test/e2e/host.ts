import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

type Answer = { isDone: true } | { error: string };

/** Runs the sites of a worker's journeys, one at a time, in one process (site-host.ts). */
export class SiteHost {
  #child: ChildProcess | undefined;

  /** Starts the built server with these settings; `hear` is told what the process prints from now on. */
  async start(settings: NodeJS.ProcessEnv, hear: (text: string) => void): Promise<void> {
    this.#child ??= await this.#fork();
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.removeAllListeners('data').on('data', (chunk: Buffer) => hear(chunk.toString()));
    }
    await this.#ask(this.#child, settings);
  }

  /** Stops the site; with SIGKILL the process, as if the machine had lost its power. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    if (signal !== 'SIGKILL') return await this.#ask(child, 'stop');
    this.#child = undefined;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  async #fork(): Promise<ChildProcess> {
    const program = process.env.SITE_HOST;
    if (program === undefined) throw new Error('The host of sites was not built (global-setup.ts).');
    const child = fork(program, [join(import.meta.dirname, '../../dist/web')], {
      env: { ...process.env, NODE_ENV: 'production' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    await once(child, 'message');
    return child;
  }

  async #ask(child: ChildProcess, request: NodeJS.ProcessEnv | 'stop'): Promise<void> {
    const answered = once(child, 'message') as Promise<[Answer]>;
    child.send(request);
    const [answer] = await answered;
    if ('error' in answer) throw new Error(answer.error);
  }
}
