/**
 * Where to go after signing in: the path that a guard put into the address, or `/`. Only a path of this site
 * is accepted, nothing that a browser could interpret as another host.
 */
export function nextPath(next: string | null): string {
  if (next === null || !next.startsWith('/')) return '/';
  const base = 'http://site.invalid';
  if (!URL.canParse(next, base)) return '/';
  const url = new URL(next, base);
  // Parsing removes tabs and dot segments, so a path can turn into `//host` only now.
  if (url.origin !== base || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
