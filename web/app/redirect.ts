/** Thrown while a page is prepared: the reader belongs elsewhere. */
export class Redirect {
  readonly to: string;
  constructor(to: string) {
    this.to = to;
  }
}
