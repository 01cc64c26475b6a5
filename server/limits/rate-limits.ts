import { setImmediate as letOthersGoOn } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { OperationName } from '../../contract/operations.ts';
import type { Viewer } from '../access/viewer.ts';
import { networksOf } from '../base/networks.ts';
import type { DbContext } from '../db/transaction.ts';
import { takeAttempt, tooMany } from './attempts.ts';

type Rule = { points: number; seconds: number };

/**
 * Changes of an account that are reported by mail and in the history: anybody can sign up with somebody's
 * address, and could flood that mailbox.
 */
const reported: Rule = { points: 30, seconds: 3_600 };

/**
 * How often one account may call an operation, in this process. The limits are generous: nobody reaches them
 * by hand. Limits across processes (sign-in, mails to unconfirmed addresses, comments) are counted in the
 * database, by attempts.ts.
 */
const byAccount: Readonly<Partial<Record<OperationName, Rule>>> = {
  setLike: { points: 120, seconds: 60 },
  setSubscription: { points: 30, seconds: 60 },
  describeLink: { points: 60, seconds: 60 },
  exportAccount: { points: 60, seconds: 60 },
  turnOnSecondFactor: reported,
  renewRecoveryCodes: reported,
  addPasskey: reported,
  createAccessToken: reported,
};
const anyOperation: Rule = { points: 600, seconds: 60 };
/** Pages that one account opens. */
const anyPage: Rule = { points: 600, seconds: 60 };
/**
 * Comments of one account, counted for all processes together, because comments reach everybody, also by
 * mail: nobody is to get a thousand an hour.
 */
const comments: readonly Rule[] = [
  { points: 20, seconds: 60 },
  { points: 200, seconds: 3_600 },
];
/** Live streams that one account opens: one for each page that it visits. */
const anyStream: Rule = { points: 120, seconds: 60 };
/** Reports of violations of a page's policy: one is enough to know. */
const anyReport: Rule = { points: 20, seconds: 60 };
const allReports: Rule = { points: 120, seconds: 60 };
/** Requests that change something outside the operations, such as uploads and forms, by network. */
const anyWrite: Rule = { points: 1_200, seconds: 60 };
/**
 * Visitors' calls and pages that are not cached, by network: a whole school may share one address. Pages that
 * a change has dropped for all readers are not counted (surfaces/pages/pages.ts).
 */
const anyVisit: Rule = { points: 1_200, seconds: 60 };

/** Searches, by account, for visitors by network: on SQLite one over many posts takes half a second. */
const anySearch: Rule = { points: 60, seconds: 60 };
/** Personal feeds of one account, which are made for each request; programs ask a few times an hour. */
const anyFeed: Rule = { points: 20, seconds: 60 };

/** Files that one account uploads in a day: each takes an entry of the disk, however small it is. */
const anyFile: Rule = { points: 10_000, seconds: 86_400 };

/** Unknown tokens that programs of a network send: each is looked up in the database. */
const unknownTokens: Rule = { points: 1_200, seconds: 60 };

/**
 * Rates per process, in memory (rate-limiter-flexible, one window for each key), except those of comments.
 */
export class Limits {
  readonly #limiters = new Map<string, RateLimiterMemory>();
  readonly #generosity: number;
  /** The last turn that each account or network waits for. */
  readonly #turns = new Map<string, Promise<void>>();

  /** `generosity` multiplies every rule, for tests of many calls at once. */
  constructor(generosity = 1) {
    this.#generosity = generosity;
  }

  /**
   * Counts a call of an operation, or a page if none is named: by account, for visitors by network. Throws
   * resource-exhausted.
   */
  async count({ user }: Viewer, network: string | null, operation?: OperationName): Promise<void> {
    if (user === null) return await this.countVisit(network);
    const rule = operation && byAccount[operation];
    if (operation === undefined) await this.#count('page', anyPage, user.id);
    else await this.#count(rule === undefined ? 'any' : operation, rule ?? anyOperation, user.id);
    await this.#takeTurn(user.id);
  }

  /**
   * Counts an uncached call or page of a visitor, by network; null for a call inside this process. Throws
   * resource-exhausted.
   */
  async countVisit(network: string | null): Promise<void> {
    if (network === null) return;
    await this.#countFrom('visit', anyVisit, network);
    await this.#takeTurn(networksOf(network).at(-1)?.name ?? network);
  }

  /**
   * Lets one request of somebody begin in each turn of the event loop: a burst of a thousand would otherwise
   * keep everybody else waiting until the last one is answered.
   */
  async #takeTurn(by: string): Promise<void> {
    const turn = (this.#turns.get(by) ?? Promise.resolve()).then(() => letOthersGoOn());
    this.#turns.set(by, turn);
    await turn;
    if (this.#turns.get(by) === turn) this.#turns.delete(by);
  }

  /** Counts a search that no cache has answered. Throws resource-exhausted. */
  async countSearch({ user }: Viewer, network: string | null): Promise<void> {
    if (user !== null) await this.#count('search', anySearch, user.id);
    else if (network !== null) await this.#countFrom('visitor search', anySearch, network);
  }

  /** Counts a personal feed that is made. Throws resource-exhausted. */
  async countFeed(userId: string): Promise<void> {
    await this.#count('feed', anyFeed, userId);
  }

  /** Counts a file that an account uploads. Throws resource-exhausted. */
  async countFile(userId: string): Promise<void> {
    await this.#count('file', anyFile, userId);
  }

  /** Counts a writing request by its network. Throws resource-exhausted. */
  async countWrite(network: string): Promise<void> {
    await this.#countFrom('write', anyWrite, network);
  }

  /**
   * Looks up a token. Unknown ones are counted by network, null for a call inside this process. Throws
   * resource-exhausted.
   */
  async lookUp<T>(network: string | null, find: () => Promise<T>): Promise<T> {
    if (network === null) return await find();
    let isUnknown = false;
    try {
      await this.#countFrom('token', unknownTokens, network);
      const found = await find();
      isUnknown = found === undefined;
      return found;
    } finally {
      // Also after a refusal or an outage, which say nothing about the token.
      if (!isUnknown) await this.#returnTo('token', network);
    }
  }

  /** Counts a comment of an account, in all processes together. Throws resource-exhausted. */
  async countComment(deps: DbContext, userId: string): Promise<void> {
    for (const { points, seconds } of comments) {
      const name = `comment by ${userId} in ${seconds} s`;
      await takeAttempt(deps, { name, points: points * this.#generosity, seconds });
    }
  }

  /**
   * Counts a report of a browser, by network and all together: each is a line of the log. Throws
   * resource-exhausted.
   */
  async countReport(network: string | null): Promise<void> {
    await this.#count('reports', allReports, '');
    if (network !== null) await this.#countFrom('report', anyReport, network);
  }

  /** Counts a page that opens a stream of live events, by account. Throws resource-exhausted. */
  async countStream(userId: string): Promise<void> {
    await this.#count('stream', anyStream, userId);
  }

  async #countFrom(name: string, { points, seconds }: Rule, network: string): Promise<void> {
    for (const { name: key, times } of networksOf(network)) {
      await this.#count(limiterOf(name, times), { points: points * times, seconds }, key);
    }
  }

  /** Returns the points that `#countFrom` took. */
  async #returnTo(name: string, network: string): Promise<void> {
    for (const { name: key, times } of networksOf(network)) {
      await this.#limiters.get(limiterOf(name, times))?.reward(key);
    }
  }

  async #count(name: string, { points, seconds }: Rule, key: string): Promise<void> {
    const limiter =
      this.#limiters.get(name) ??
      new RateLimiterMemory({ points: points * this.#generosity, duration: seconds, keyPrefix: name });
    this.#limiters.set(name, limiter);
    try {
      await limiter.consume(key);
    } catch (refusal) {
      throw refusal instanceof RateLimiterRes ? tooMany(refusal.msBeforeNext / 1_000) : refusal;
    }
  }
}

function limiterOf(name: string, times: number): string {
  return times === 1 ? name : `${name} wider`;
}
