const focusable = 'a[href], audio, button, input, summary, video, [tabindex]';

/** Takes the content of `place` out of the tab order; it can still be clicked. */
export function leaveTabOrder(place: ParentNode): void {
  for (const element of place.querySelectorAll<HTMLElement>(focusable)) element.tabIndex = -1;
}
