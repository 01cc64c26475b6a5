/**
 * Whether the reader has left an element while an answer was awaited: then the focus must stay where it is.
 * The focus of what was removed goes to the page's body, which counts as not having left.
 */
export function hasMovedOn(place: Element | null): boolean {
  const { activeElement } = document;
  return activeElement !== document.body && place?.contains(activeElement) !== true;
}
