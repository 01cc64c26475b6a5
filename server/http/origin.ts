/**
 * Whether a browser sends this request from another site's page with the credentials that browsers add by themselves. A
 * request with a bearer token cannot be forged like that, because a browser never adds one.
 */
export function isForeign(headers: Headers, requestUrl: string, publicUrl: string): boolean {
  return !headers.has('authorization') && comesFromElsewhere(headers, requestUrl, publicUrl);
}

/**
 * Whether a page of another origin sends this request. A browser says where a request comes from, with Sec-Fetch-Site
 * (not over plain http) or Origin or both; a program sends neither.
 */
export function comesFromElsewhere(headers: Headers, requestUrl: string, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  if (origin === null) return false;
  if (origin === new URL(publicUrl).origin) return false;
  // The address that the browser used may be another name of this server; behind a proxy that ends TLS the scheme
  // differs, so only host and port are compared.
  return !URL.canParse(origin) || new URL(origin).host !== new URL(requestUrl).host;
}
