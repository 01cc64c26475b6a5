/** Makes the browser fetch its tab icon again: the initial of a site without an icon. */
export function renewTabIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon][type="image/svg+xml"]');
  if (link !== null) link.href = `/favicon.svg?${Date.now()}`;
}
