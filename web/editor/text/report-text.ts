import type { Extension } from '@codemirror/state';
import { ViewPlugin } from '@codemirror/view';
import { startTransition } from 'react';
import { flushSync } from 'react-dom';
import { isSaveKey } from './formats.ts';
import { longCharacters } from './long-text.ts';

/** How long typing in a long text must pause before it is reported, and how long that is delayed at most. */
const restMs = 300;
const mostMs = 5_000;

/**
 * Reports the text after a change, a long one when typing rests: rendering the form with each key delayed the
 * keys of an essay's author. It is then rendered in slices, between which keys are answered. Actions on the
 * text come with one of the events that report it at once.
 */
export function reportText(report: (text: string) => void): Extension {
  return ViewPlugin.define(view => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let latest = 0;
    /** Whether it has changed since it was last reported at once: content rendered in slices may be older. */
    let isChanged = false;
    const reportNow = () => {
      clearTimeout(timer);
      timer = undefined;
      if (!isChanged) return;
      isChanged = false;
      report(view.state.doc.toString());
    };
    const reportInSlices = () => {
      timer = undefined;
      startTransition(() => report(view.state.doc.toString()));
    };
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    view.contentDOM.addEventListener('blur', reportNow, options);
    window.addEventListener('pointerdown', reportNow, options);
    // The copy of unsaved text is stored at these events, so the form must have it before.
    for (const event of ['blur', 'pagehide', 'visibilitychange'] as const) {
      window.addEventListener(event, () => flushSync(reportNow), options);
    }
    window.addEventListener('keydown', event => isSaveKey(event) && flushSync(reportNow), options);
    return {
      update: ({ docChanged, state }) => {
        if (!docChanged) return;
        // Other inputs that change it, such as a caption field, show its content.
        isChanged = true;
        if (state.doc.length < longCharacters || !view.hasFocus) return reportNow();
        const now = Date.now();
        if (timer === undefined) latest = now + mostMs;
        clearTimeout(timer);
        timer = setTimeout(reportInSlices, Math.min(restMs, Math.max(0, latest - now)));
      },
      destroy: () => {
        clearTimeout(timer);
        listening.abort();
      },
    };
  });
}
