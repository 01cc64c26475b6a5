/**
 * 128 random bits, as an id or as the key that makes sending something safe to repeat. `crypto.randomUUID` is
 * missing on plain http, where a site may be tried out.
 */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
