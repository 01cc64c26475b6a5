/** Thrown while a page is prepared, to redirect the reader. */
export class RedirectTo {
  readonly href: string;
  constructor(href: string) {
    this.href = href;
  }
}
