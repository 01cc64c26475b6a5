/** Has the browser ask again for the icon of its tab: the initial of a site without an icon of its own. */
export function renewTabIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon][type="image/svg+xml"]');
  if (link !== null) link.href = `/favicon.svg?${Date.now()}`;
}
