/** There are no bytes under a key, though a row says so: they were removed beside Coterie, or a moment ago. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes';
}

/** The store of files does not answer, or refuses us. It may pass; the reason is for the log alone. */
export class StoreGone extends Error {
  override readonly name = 'StoreGone';
}
