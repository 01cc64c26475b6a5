import type { KeyboardEvent } from 'react';
import { isComposing } from '../ui/is-composing.ts';

/** Arrow keys go from the field through the results and back. */
export function moveAmongResults(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || isComposing(event)) return;
  const stops = [...document.querySelectorAll<HTMLElement>('main input[name=q], main a.hit')];
  const next = stops[stops.indexOf(event.currentTarget) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
