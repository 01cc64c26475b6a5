/**
 * What a change is known by. Triggers write them as kind and key (`migrations/0041-first-release/changes.ts`, 0042): `post` is
 * what readers are shown of a post but for its counts; `timeline` what enters, leaves or moves in lists; `viewer` an account
 * with its rights; `tags` all tags, combinations and default tags; `published` how many posts carry each combination, and who
 * wrote them; `likes` the likes of one account; `schema` a migration that ends older programs; `comment` a comment, as
 * `POST/COMMENT`. `anything` is in no row: what is made from it falls with every change.
 */
export type ChangeKey =
  | 'timeline'
  | 'tags'
  | 'published'
  | 'settings'
  | 'anything'
  | `${'schema' | 'post' | 'counts' | 'likes' | 'comment' | 'viewer' | 'session' | 'token'}:${string}`;

/** What a look found: the keys of what changed since the look before, or `all` where that cannot be told. */
export type Changed = ReadonlySet<ChangeKey> | 'all';

export type Look = {
  changed: Changed;
  /** The database takes no writes: it is a standby, or its owner has shut it to them. */
  isReadOnly: boolean;
};

/** How an engine's record is looked at. Throws an `Outage` while the database cannot be reached. */
export type RecordReader = {
  look(): Look | Promise<Look>;
  /** Tells other processes that there is something to look at; it need not arrive. */
  tellOthers?(): void;
};

/** How often the record is looked at while somebody waits for changes, in milliseconds. */
const lookEveryMs = 200;
/** The least time from one look to the next where a look is a query over a connection, in milliseconds. */
const restMs = 2;
/** The least time between two words to other processes, of all processes together, in milliseconds. */
const tellEveryMs = 100;

/**
 * What this process knows of the record of changes in the database (docs/decisions/0015). A caller who answers from something
 * that was kept waits for `fresh` first: a look that began after they asked. So what was acknowledged before, by any
 * process, is in the answer.
 */
export class ChangeRecord {
  readonly #reader: RecordReader;
  readonly #listeners = new Set<(changed: Changed) => void>();
  readonly #watchers = new Set<() => void>();
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #begunAt = 0;
  #looking: NodeJS.Timeout | undefined;
  #told = { at: 0, later: undefined as NodeJS.Timeout | undefined };
  #isReadOnly = false;
  #lostAt: number | undefined;
  #refusal: Error | undefined;
  /** Writes of this process: all, those before the last look that is done, and those before the one under way. */
  #writes = { all: 0, seen: 0, beingSeen: 0 };

  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  /** Whether the last look found a database that takes no writes. */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** For how long the record could not be looked at, in milliseconds; undefined while it can be. */
  get lostForMs(): number | undefined {
    return this.#lostAt === undefined ? undefined : performance.now() - this.#lostAt;
  }

  /**
   * Resolves once a look that began after this call is done. One look serves all that asked before it began. Rejects with
   * an `Outage` while the database cannot be reached.
   */
  fresh(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#afterRest().then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    this.#next = next;
    return next;
  }

  /** As `fresh`, where this process has committed something since the last look began: it reads what it wrote. */
  afterOwnWrites(): Promise<void> | undefined {
    const { all, seen, beingSeen } = this.#writes;
    if (seen === all) return undefined;
    return beingSeen === all && this.#underWay !== undefined ? this.#underWay : this.fresh();
  }

  /** Whoever asks in the same turn of the event loop, as many do on a busy server, is served by the same look. */
  async #afterRest(): Promise<void> {
    await this.#underWay?.catch(() => {});
    const rest = this.#begunAt + restMs - performance.now();
    await new Promise<void>(resolve => (rest > 0 ? setTimeout(resolve, rest) : setImmediate(resolve)));
  }

  #begin(): Promise<void> | undefined {
    const { all } = this.#writes;
    this.#writes.beingSeen = all;
    try {
      const look = this.#reader.look();
      if (!(look instanceof Promise)) {
        this.#take(look, all);
        return undefined;
      }
      this.#begunAt = performance.now();
      const underWay = look.then(
        found => this.#take(found, all),
        (error: unknown) => {
          this.#lostAt ??= performance.now();
          throw error;
        },
      );
      this.#underWay = underWay.finally(() => {
        this.#underWay = undefined;
      });
      // Each who waits hears of a failure; where nobody does, it is the next one's.
      this.#underWay.catch(() => {});
      return underWay;
    } catch (error) {
      this.#lostAt ??= performance.now();
      throw error;
    }
  }

  #take({ changed, isReadOnly }: Look, writes: number): void {
    this.#writes.seen = writes;
    this.#lostAt = undefined;
    this.#isReadOnly = isReadOnly;
    if (this.#refusal !== undefined) throw this.#refusal;
    if (changed !== 'all' && changed.size === 0) return;
    for (const listener of this.#listeners) listener(changed);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** From now on nobody is told that what they know is fresh: each look throws this. Within a look it holds for that one. */
  refuse(error: Error): void {
    this.#refusal = error;
  }

  /** Calls `listener` within each look that finds something, before anybody who waited for it goes on. */
  listen(listener: (changed: Changed) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As `listen`, and sees to it that looks are taken, whether or not anybody asks. */
  watch(listener: (changed: Changed) => void): () => void {
    const stop = this.listen(listener);
    const watcher = () => {};
    this.#watchers.add(watcher);
    this.#looking ??= setInterval(() => this.#lookUnasked(), lookEveryMs).unref();
    return () => {
      stop();
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
  }

  #lookUnasked(): void {
    // Requests are answered with an outage meanwhile; a stream waits until it is over.
    this.fresh().catch(() => {});
  }

  /** Another process has told that there is something to look at. */
  hint(): void {
    this.#told.at = performance.now();
    clearTimeout(this.#told.later);
    this.#told.later = undefined;
    if (this.#watchers.size > 0) this.#lookUnasked();
  }

  /** This process has committed a write. */
  noteWrite(): void {
    this.#writes.all += 1;
    if (this.#watchers.size > 0) this.#lookUnasked();
    const { tellOthers } = this.#reader;
    if (tellOthers === undefined || this.#told.later !== undefined) return;
    // Those who heard another's word meanwhile look after this write, too.
    const wait = Math.max(0, this.#told.at + tellEveryMs - performance.now());
    this.#told.later = setTimeout(() => {
      this.#told = { at: performance.now(), later: undefined };
      this.#reader.tellOthers?.();
    }, wait).unref();
  }
}
