/**
 * Whether the reader has left an element while an answer was awaited: then the focus must stay where it is.
 * The focus of one that was removed goes to the page's body, which counts as not having left.
 */
export function hasMovedOn(place: Element | null): boolean {
  const { activeElement } = document;
  return place?.isConnected === true ? !place.contains(activeElement) : activeElement !== document.body;
}
