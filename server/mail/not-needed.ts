/** A mail that nobody needs any more; the message says why. */
export class NotNeeded extends Error {
  override readonly name = 'NotNeeded';
}
