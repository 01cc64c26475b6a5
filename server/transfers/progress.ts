import type { Updateable } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { Deps } from '../deps.ts';

/** The transfer was ended, or another process has taken it on. */
export class Stopped extends Error {}

/** How often it is told how far a transfer is, in milliseconds. */
const tellEveryMs = 500;

/** What a process says of the transfer that it holds. Each throws {@link Stopped} where it holds it no more. */
export class Progress {
  readonly #deps: Pick<Deps, 'db' | 'clock' | 'stopping'>;
  readonly #held: { id: string; lease: string };
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Pick<Deps, 'db' | 'clock' | 'stopping'>, held: { id: string; lease: string }) {
    this.#deps = deps;
    this.#held = held;
  }

  /** Says how far it is, where that was not said a moment ago. */
  async tell({ done, total }: { done: number; total: number | undefined }): Promise<void> {
    this.#deps.stopping.throwIfAborted();
    const isLast = done === total;
    if (performance.now() < this.#toldAt + tellEveryMs && !isLast) return;
    this.#toldAt = performance.now();
    await this.#set({ done, total: total ?? null });
  }

  /** Whether it may go on. */
  async check(): Promise<void> {
    this.#deps.stopping.throwIfAborted();
    await this.#set({ state: 'running' });
  }

  /** Ends the transfer, or the step that is under way. */
  async end(
    news: Pick<Updateable<Tables['transfers']>, 'report' | 'error' | 'made' | 'made_key'> & {
      state: 'checked' | 'done' | 'failed';
    },
  ): Promise<void> {
    const ended_at = news.state === 'checked' ? null : this.#deps.clock();
    await this.#set({ ...news, ended_at, lease: null, leased_until: null });
  }

  async #set(news: Updateable<Tables['transfers']>): Promise<void> {
    const { numUpdatedRows } = await this.#deps.db
      .updateTable('transfers')
      .set(news)
      .where('id', '=', this.#held.id)
      .where('lease', '=', this.#held.lease)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Stopped();
  }
}
