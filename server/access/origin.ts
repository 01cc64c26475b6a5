/**
 * Whether a browser sends this request from another site. A browser says where a request comes from, with
 * Sec-Fetch-Site or Origin or both; a program sends neither. A request that carries its own bearer token is nobody's
 * forgery: a browser never adds one by itself.
 */
export function isForeign(headers: Headers, requestUrl: string, publicUrl: string): boolean {
  if (headers.has('authorization')) return false;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  if (origin === null) return false;
  if (origin === new URL(publicUrl).origin) return false;
  // The address that the browser used may be another name of this server; behind a proxy that ends TLS the scheme
  // differs, so only host and port are compared.
  return !URL.canParse(origin) || new URL(origin).host !== new URL(requestUrl).host;
}
