/** A mail that nobody needs any more; the message says why. */
export class NotNeeded extends Error {
  override readonly name = 'NotNeeded';
}

/** A mail that waits until `dueAt`, in milliseconds since 1970. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly dueAt: number;

  constructor(dueAt: number) {
    super('It is not due yet.');
    this.dueAt = dueAt;
  }
}
