/** A random id. `crypto.randomUUID` is missing on plain http, where a site may be tried out. */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
