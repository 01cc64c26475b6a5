/**
 * Whether the reader has gone on to something else since they used this button: then the focus stays there. A button that is gone
 * has left it to the page.
 */
export function hasMovedOn(button: Element | null): boolean {
  const { activeElement } = document;
  return activeElement !== button && activeElement !== document.body;
}
