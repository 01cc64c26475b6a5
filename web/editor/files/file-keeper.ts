import { forgetFile, type KeptFile, keepFile, keepPlace } from '../../storage/kept-files.ts';

/**
 * Keeps the files of running uploads in this browser, so that a closed tab does not lose them. They are
 * stored under the key of the text being written, and move with it to another key.
 */
export class FileKeeper {
  readonly #show: (ids: ReadonlySet<string>) => void;
  readonly #files = new Map<string, KeptFile>();
  #kept: ReadonlySet<string> = new Set();
  #key: string;
  #isStopped = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(key: string, show: (ids: ReadonlySet<string>) => void) {
    this.#key = key;
    this.#show = show;
  }

  /** Keeps a file, unless it is already kept. */
  keep(file: Omit<KeptFile, 'under'> & { under?: string }): void {
    const kept = { ...file, under: this.#key };
    this.#files.set(file.id, kept);
    if (file.under === this.#key) this.#setKept(file.id, true);
    else this.#inTurn(() => this.#store(file.id));
  }

  /** Stores the progress of a file's upload. */
  keepPlace(id: string, place: KeptFile['place']): void {
    const file = this.#files.get(id);
    if (file === undefined || place === undefined) return;
    this.#files.set(id, { ...file, place });
    this.#inTurn(async () => {
      if (this.#kept.has(id)) await keepPlace({ id, under: this.#key }, place);
    });
  }

  /** Deletes a file: it has arrived, or is not wanted. */
  forget(id: string): void {
    const file = this.#files.get(id);
    if (file === undefined) return;
    this.#files.delete(id);
    this.#setKept(id, false);
    this.#inTurn(() => forgetFile(file));
  }

  /** The files belong to another text from now on. Those under the old key are deleted with the old text. */
  moveTo(key: string): void {
    if (key === this.#key) return;
    this.#key = key;
    for (const [id, file] of this.#files) {
      this.#files.set(id, { ...file, under: key });
      this.#inTurn(() => this.#store(id));
    }
  }

  /** Keeps nothing from now on. */
  stop(): void {
    this.#isStopped = true;
  }

  async #store(id: string): Promise<void> {
    const file = this.#files.get(id);
    if (file === undefined || this.#isStopped) return;
    const isKept = await keepFile(file);
    // A log-out may have deleted all files meanwhile.
    if (this.#isStopped) await forgetFile(file);
    else if (this.#files.has(id)) this.#setKept(id, isKept);
  }

  #setKept(id: string, isKept: boolean): void {
    const kept = new Set(this.#kept);
    if (isKept) kept.add(id);
    else kept.delete(id);
    this.#kept = kept;
    this.#show(kept);
  }

  /** One at a time, so that they are kept in order, and no more of them than there is space for. */
  #inTurn(act: () => Promise<void>): void {
    this.#turn = this.#turn.then(act);
  }
}
