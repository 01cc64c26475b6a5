import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import type { Postgres } from '../support/postgres.ts';
import type { Location } from '../support/site.ts';
import { startSmtp } from '../support/smtp.ts';
import { type Place, tokenIn } from './place.ts';
import type { Command } from './process.ts';
import { settingsOf } from './server.ts';

/**
 * A site whose servers are separate processes (process.ts) with one database, so that one can be killed or
 * frozen while the others continue. `postgres` is the database's server, if it may be killed.
 */
export async function openProcesses(
  location: Location,
  count: number,
  postgres: Postgres | undefined,
): Promise<Place> {
  const smtp = await startSmtp();
  const settings = settingsOf(location, smtp.url);
  const children: ServerProcess[] = [];
  for (let index = 0; index < count; index += 1)
    children.push(await ServerProcess.start(settings, await freePort()));
  const [first] = children;
  if (first === undefined) throw new Error('There has to be a process.');
  let offsetMs = 0;
  const at = (index: number) => {
    const child = children[index];
    if (child === undefined) throw new Error(`There is no process ${index}.`);
    return child;
  };
  return {
    urls: children.map(({ url }) => url),
    location,
    setupToken: first.setupToken,
    now: () => Date.now() + offsetMs,
    moveClock: async ms => {
      offsetMs += ms;
      await Promise.all(children.map(child => child.tell({ do: 'setClock', offsetMs })));
    },
    catchUp: () => first.tell({ do: 'catchUp' }),
    takeMails: () => smtp.mails.splice(0),
    processes: {
      freeze: index => at(index).signal('SIGSTOP'),
      wake: index => at(index).signal('SIGCONT'),
      kill: async index => {
        await at(index).kill();
        await at(index).start(offsetMs);
      },
      ...(postgres && {
        killDatabase: async () => {
          await postgres.kill();
          await postgres.restart();
        },
      }),
    },
    close: async () => {
      await Promise.all(children.map(child => child.kill()));
      await smtp.stop();
    },
  };
}

class ServerProcess {
  readonly url: string;
  setupToken = '';
  readonly #environment: Record<string, string | undefined>;
  #child: ChildProcess | undefined;

  private constructor(settings: Record<string, string>, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = { ...process.env, ...settings, PORT: String(port) };
  }

  static async start(settings: Record<string, string>, port: number): Promise<ServerProcess> {
    const child = new ServerProcess(settings, port);
    child.setupToken = tokenIn(String(await child.start(0)));
    return child;
  }

  /** Resolves with its first message, once it listens. */
  async start(offsetMs: number): Promise<unknown> {
    const environment = { ...this.#environment, CLOCK_OFFSET: String(offsetMs) };
    const child = fork(join(import.meta.dirname, 'process.ts'), { env: environment });
    this.#child = child;
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`A server ended before it listened: ${code ?? signal}`);
    });
    const [said] = await Promise.race([once(child, 'message'), ended]);
    return said;
  }

  /** Sends it a message, and waits until it is done. */
  async tell(command: Command): Promise<void> {
    const child = this.#running();
    const done = once(child, 'message');
    child.send(command);
    await done;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#running().kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#running();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  #running(): ChildProcess {
    if (this.#child === undefined) throw new Error('This server has not been started.');
    return this.#child;
  }
}
