const minPauseMs = 5_000;
const maxPauseMs = 5 * 60_000;

/** What a run of the queue learned about the mail server. */
type Run = { sent: number; isServerDown: boolean; isTooFast: boolean; seconds: number };

/**
 * How fast this process sends, in mails per run of the worker, which begins each second. Unlimited until the
 * server answers that it was too fast, then adapted as in TCP: halved by such an answer, and raised a little
 * by each run that used it up. Each process adapts on its own, so several processes share the server's limit
 * without coordination.
 */
export class Pace {
  #perRun = Number.POSITIVE_INFINITY;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** The most mails that the next run sends. */
  get most(): number {
    return Math.floor(this.#perRun);
  }

  /** How long to leave the server alone after the last run, in milliseconds; 0 if it accepted everything. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  isPausedAt(now: number): boolean {
    return now < this.#pausedUntil;
  }

  learn(now: number, { sent, isServerDown, isTooFast, seconds }: Run): void {
    if (isTooFast) {
      const reached = sent > 0 ? sent / Math.max(1, seconds) : Number.POSITIVE_INFINITY;
      this.#perRun = Math.max(1, Math.min(this.#perRun, reached) / 2);
    } else if (!isServerDown && sent >= this.most) {
      this.#perRun += Math.max(0.1, this.#perRun / 50);
    }
    if (isServerDown && sent === 0) {
      this.lengthenPause(now);
      return;
    }
    // A server that accepted some mails before a refusal is tried again soon.
    this.#pauseMs = isServerDown ? minPauseMs : 0;
    this.#pausedUntil = now + this.#pauseMs;
  }

  lengthenPause(now: number): void {
    this.#pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, this.#pauseMs * 2));
    this.#pausedUntil = now + this.#pauseMs;
  }
}
