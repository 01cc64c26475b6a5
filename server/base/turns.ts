/** So much of people's work is done before one piece that nobody waits for. */
const mostBefore = 5;

/**
 * Work that waits for one worker. People take turns: whoever had the last one comes after everybody else.
 * Work that nobody waits for (`by` undefined) comes after theirs, but after five pieces of it at the latest.
 */
export class Turns<Waiting extends { by: string | undefined }> {
  readonly #waiting = new Set<Waiting>();
  #lastBy: string | undefined;
  /** How much of people's work came since before what nobody waits for. */
  #before = 0;

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
    const ofNobody = all.find(({ by }) => by === undefined);
    const ofPerson = all.find(({ by }) => by !== undefined);
    const next = this.#before < mostBefore ? (ofPerson ?? ofNobody) : (ofNobody ?? ofPerson);
    if (next === undefined) return undefined;
    this.#before = next === ofNobody || ofNobody === undefined ? 0 : this.#before + 1;
    this.#waiting.delete(next);
    this.#lastBy = next.by;
    return next;
  }
}
