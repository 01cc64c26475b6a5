import type { ExpressionBuilder, Kysely, Updateable } from 'kysely';
import { accountRows, viewerOf } from '../../access/viewer.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import type { Held } from './local-files.ts';

/** Thrown if the transfer was ended, or another process has taken it over. */
export class Stopped extends Error {}

/** Thrown if the admin who began the transfer no longer is one. */
export class RightsLost extends Error {
  constructor() {
    super('It was stopped, because the person who started it is no longer an admin.');
  }
}

/** A condition for a transfer that this lease still holds. */
export const isHeld =
  ({ id, lease }: Held) =>
  (eb: ExpressionBuilder<Tables, 'transfers'>) =>
    eb.and({ id, lease, state: 'running' });

/** How often the progress of a transfer is stored, in milliseconds. */
const storeEveryMs = 500;

/**
 * What a process stores about the transfer whose lease it holds. Each method throws {@link Stopped} once the
 * lease is lost.
 */
export class Progress {
  readonly #deps: DbContext & { stopping: AbortSignal };
  readonly #held: Held;
  #storedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DbContext & { stopping: AbortSignal }, held: Held) {
    this.#deps = deps;
    this.#held = held;
  }

  /** Stores the progress, unless it was stored a moment ago. */
  async store({ done, total }: { done: number; total: number | undefined }): Promise<void> {
    this.#deps.stopping.throwIfAborted();
    const isLast = done === total;
    if (performance.now() < this.#storedAt + storeEveryMs && !isLast) return;
    this.#storedAt = performance.now();
    await this.#set({ done, total: total ?? null });
  }

  /** Throws {@link Stopped} if the transfer may not go on. */
  async check(): Promise<void> {
    this.#deps.stopping.throwIfAborted();
    await this.#set({ state: 'running' });
  }

  /**
   * Throws within a transaction if the transfer may not go on, and keeps it so until the transaction ends: a
   * demotion or a cancellation waits for it, and nothing is written after one. Throws {@link RightsLost} and
   * {@link Stopped}, which are not about an item: an import ends with them.
   */
  async hold(trx: Kysely<Tables>, userId: string): Promise<void> {
    const { shared } = dialectOf(trx);
    // The account is locked first, as everywhere, so that no two transactions deadlock.
    const user = await shared(accountRows(trx).where('users.id', '=', userId)).executeTakeFirst();
    if (user === undefined || viewerOf(user, [], new Set()).role !== 'admin') throw new RightsLost();
    const held = trx.selectFrom('transfers').select('id').where(isHeld(this.#held));
    if ((await shared(held).executeTakeFirst()) === undefined) throw new Stopped();
  }

  async end(
    changed: Pick<Updateable<Tables['transfers']>, 'report' | 'error' | 'made' | 'made_key'> & {
      state: 'checked' | 'done' | 'failed';
    },
  ): Promise<void> {
    const ended_at = changed.state === 'checked' ? null : this.#deps.clock();
    await this.#set({ ...changed, ended_at, lease: null, leased_until: null });
  }

  async #set(changed: Updateable<Tables['transfers']>): Promise<void> {
    const { numUpdatedRows } = await this.#deps.db
      .updateTable('transfers')
      .set(changed)
      .where(isHeld(this.#held))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Stopped();
  }
}
