/** There are no bytes under a key, though a row says so: they were removed beside Coterie, or a moment ago. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes';
}
