import type { ChangeKey } from '../../../contract/change-key.ts';

/** The result of a poll: the keys of what changed since the previous one, or `all` if that is unknown. */
export type Changed = ReadonlySet<ChangeKey> | 'all';

export type Poll = {
  changed: Changed;
  /** Whether the database accepts no writes: it is a standby, or its owner made it read-only. */
  isReadOnly: boolean;
};

/** Reads the record of one engine. Throws an `Outage` while the database cannot be reached. */
export type RecordReader = {
  poll(): Poll | Promise<Poll>;
};

/** How often the record is read while somebody waits for changes, in milliseconds. */
const pollEveryMs = 50;
/**
 * The least time between two polls if a poll is a query over a connection, in milliseconds, the resolution of
 * timers.
 */
const restMs = 1;

/**
 * Reads the record of changes in the database (docs/decisions/0015); each reading is a poll. A caller who
 * answers from a cache first waits for `caughtUp`: for a poll that began after the call. So the answer
 * includes every write that any process had acknowledged.
 */
export class ChangeRecord {
  readonly #reader: RecordReader;
  readonly #listeners = new Set<(changed: Changed) => void>();
  readonly #watchers = new Set<() => void>();
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #begunAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isReadOnly = false;
  #lostAt: number | undefined;
  #refusal: Error | undefined;
  #damage: Error | undefined;
  /**
   * The number of writes of this process: all, those before the last finished poll, and those before the poll
   * in progress.
   */
  #writes = { all: 0, seen: 0, beingSeen: 0 };

  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  /** Whether the last poll found that the database accepts no writes. */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** The damage that a query of this process found in the database; undefined for none. */
  get damage(): Error | undefined {
    return this.#damage;
  }

  noteDamage(damage: Error): void {
    this.#damage = damage;
  }

  /**
   * How long the record has been unreadable, in milliseconds; undefined while it is readable, and infinite
   * after `refuse`.
   */
  get lostForMs(): number | undefined {
    if (this.#refusal !== undefined) return Number.POSITIVE_INFINITY;
    return this.#lostAt === undefined ? undefined : performance.now() - this.#lostAt;
  }

  /**
   * Resolves once a poll that began after this call is done. One poll serves all calls before it began.
   * Rejects with an `Outage` while the database cannot be reached.
   */
  caughtUp(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#afterRest().then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    this.#next = next;
    return next;
  }

  /**
   * Like `caughtUp`, if this process has committed something since the last poll began, so that it reads its
   * own writes; undefined otherwise.
   */
  afterOwnWrites(): Promise<void> | undefined {
    const { all, seen, beingSeen } = this.#writes;
    if (seen === all) return undefined;
    return beingSeen === all && this.#underWay !== undefined ? this.#underWay : this.caughtUp();
  }

  /**
   * Waits a moment, so that all calls in the same turn of the event loop, of which a busy server has many,
   * share a poll.
   */
  async #afterRest(): Promise<void> {
    await this.#underWay?.catch(() => {});
    const rest = this.#begunAt + restMs - performance.now();
    await new Promise<void>(resolve =>
      rest > restMs / 2 ? setTimeout(resolve, rest) : setImmediate(resolve),
    );
  }

  #begin(): Promise<void> | undefined {
    const { all } = this.#writes;
    this.#writes.beingSeen = all;
    const lose = (error: unknown): never => {
      this.#lostAt ??= performance.now();
      throw error;
    };
    let poll: ReturnType<RecordReader['poll']>;
    try {
      poll = this.#reader.poll();
    } catch (error) {
      return lose(error);
    }
    if (!(poll instanceof Promise)) {
      this.#apply(poll, all);
      return undefined;
    }
    this.#begunAt = performance.now();
    const underWay = poll.then(found => this.#apply(found, all), lose);
    this.#underWay = underWay.finally(() => {
      this.#underWay = undefined;
    });
    // Each waiting caller gets the error. If nobody waits, it is ignored, and the next poll reports it.
    this.#underWay.catch(() => {});
    return underWay;
  }

  #apply({ changed, isReadOnly }: Poll, writes: number): void {
    this.#writes.seen = writes;
    this.#lostAt = undefined;
    this.#isReadOnly = isReadOnly;
    if (this.#refusal !== undefined) throw this.#refusal;
    if (changed !== 'all' && changed.size === 0) return;
    for (const listener of this.#listeners) listener(changed);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** From now on each poll throws this error, the one in progress included. */
  refuse(error: Error): void {
    this.#refusal = error;
  }

  /** Calls `listener` within each poll that finds changes, before callers who waited for the poll go on. */
  listen(listener: (changed: Changed) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Like `listen`, and polls regularly, whether or not requests come. */
  watch(listener: (changed: Changed) => void): () => void {
    const stop = this.listen(listener);
    this.#watchers.add(stop);
    this.#timer ??= setInterval(() => this.#pollUnasked(), pollEveryMs).unref();
    return () => {
      stop();
      this.#watchers.delete(stop);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #pollUnasked(): void {
    // While the database is unreachable, requests fail with an outage, and streams wait.
    this.caughtUp().catch(() => {});
  }

  committed(): void {
    this.#writes.all += 1;
    if (this.#watchers.size > 0) this.#pollUnasked();
  }
}

export type RecordRow = { seq: number; kind: string; key: string };

/** With more rows than this, they are not read: everything counts as changed. */
export const mostRows = 2_000;

/**
 * The keys in rows of the record. A row of the kind `swept` names the newest of the rows that were deleted.
 * If the last poll may have missed one of those, as `isMissing` tells, everything counts as changed.
 */
export function changedBy(
  rows: readonly Pick<RecordRow, 'kind' | 'key'>[],
  isMissing: (swept: number) => boolean,
): Changed {
  if (rows.length > mostRows) return 'all';
  const changed = new Set<ChangeKey>();
  for (const { kind, key } of rows) {
    if (kind === 'swept') {
      if (isMissing(Number(key))) return 'all';
    } else {
      changed.add((key === '' ? kind : `${kind}:${key}`) as ChangeKey);
      if (kind === 'viewer') changed.add('viewers');
    }
  }
  return changed;
}
