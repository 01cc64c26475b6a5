import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Hunt, Hunted } from './hunt.ts';

/** After this time a site counts as hanging, which is a finding, too. */
const longestMs = 20 * 60_000;

/** A process that looks for mistakes (hunt.ts). */
export class Hunter {
  /** How many mistakes it has looked for. */
  count = 0;
  readonly #child: ChildProcess;
  /** Resolves with how it ended. */
  readonly #ended: Promise<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    const errors = child.stderr === null ? '' : text(child.stderr);
    this.#ended = once(child, 'close').then(async () => {
      const lines = (await errors).trim().split('\n');
      return `the process ended: ${lines.findLast(line => /Error/.test(line)) ?? lines.at(-1)}`;
    });
  }

  static async start(compiled: string): Promise<Hunter> {
    const child = fork(join(import.meta.dirname, 'hunt.ts'), {
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const hunter = new Hunter(child);
    const [said] = await Promise.race([once(child, 'message'), hunter.#ended.then(how => [how])]);
    if (said !== 'ready') throw new Error(`The process that looks for mistakes does not start: ${said}`);
    return hunter;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Looks for a mistake. A mistake that ends the whole process is found by that. */
  async hunt(hunt: Hunt): Promise<Hunted> {
    this.count += 1;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), longestMs);
    const answered = once(this.#child, 'message').then(([hunted]) => hunted as Hunted);
    this.#child.send(hunt);
    // It ended in one of the histories that were asked for.
    const nothing = { steps: 0, stepsOfHistory: hunt.steps, seconds: 0 };
    const ended = this.#ended.then(how => ({ finding: how, seed: hunt.seed, ...nothing }));
    const hunted = await Promise.race([answered, ended]);
    clearTimeout(timer);
    return hunted;
  }

  end(): void {
    this.#child.kill();
  }
}
