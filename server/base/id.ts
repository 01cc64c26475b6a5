import { randomBytes } from 'node:crypto';

/**
 * A random id of 16 characters (96 bits), safe in a URL. Random, so that ids do not reveal how many there
 * are.
 */
export function createId(): string {
  return randomBytes(12).toString('base64url');
}
