/**
 * Whether the focus has gone elsewhere since the reader used this button: then it should stay there. When a button is removed, its
 * focus goes to the page's body, which counts as still being there.
 */
export function hasMovedOn(button: Element | null): boolean {
  const { activeElement } = document;
  return activeElement !== button && activeElement !== document.body;
}
