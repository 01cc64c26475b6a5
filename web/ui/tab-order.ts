const focusable = 'a[href], audio, button, input, summary, video, [tabindex]';

/** Takes what stands in `place` out of the tab order; it can still be clicked. */
export function leaveTabOrder(place: ParentNode): void {
  for (const element of place.querySelectorAll<HTMLElement>(focusable)) element.tabIndex = -1;
}
