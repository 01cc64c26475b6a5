/** Thrown while a page is prepared: the reader belongs elsewhere. */
export class RedirectTo {
  readonly href: string;
  constructor(href: string) {
    this.href = href;
  }
}
