/**
 * Work that waits for one worker. People take turns: whoever had the last one comes after everybody else.
 * Work that nobody waits for (`by` undefined) comes after all people's.
 */
export class Turns<Waiting extends { by: string | undefined }> {
  readonly #waiting = new Set<Waiting>();
  #lastBy: string | undefined;

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  /** The waiting work of one person. */
  of(by: string | undefined): Waiting[] {
    return [...this.#waiting].filter(waiting => waiting.by === by);
  }

  /** Takes out the next piece of work. */
  take(): Waiting | undefined {
    for (const waiting of this.of(this.#lastBy)) {
      this.#waiting.delete(waiting);
      this.#waiting.add(waiting);
    }
    const all = [...this.#waiting];
    const next = all.find(({ by }) => by !== undefined) ?? all[0];
    if (next === undefined) return undefined;
    this.#waiting.delete(next);
    this.#lastBy = next.by;
    return next;
  }
}
