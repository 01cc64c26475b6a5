/**
 * Asks for the page's scripts once its text is on the screen: until then the line is the text's and its fonts', and on a
 * slow one the scripts come no later for it. A page that nobody sees yet does not wait. What is pressed before the app
 * has taken over is pressed again then. Stands in every document as text (see `startScript`), so it uses nothing from
 * outside itself.
 */
function startWhenShown(): void {
  const { entry = '', chunks = '' } = document.currentScript?.dataset ?? {};
  const load = () => {
    const links = chunks
      .split(' ')
      .map(href => Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
    document.head.append(...links);
    // No element: its address would have to be of a trusted type. Where it does not come, the page is read without it.
    import(/* @vite-ignore */ entry).catch(() => {});
  };
  if (document.hidden) load();
  // The frame that is about to come shows the text.
  else requestAnimationFrame(() => setTimeout(load));

  const pressed: HTMLElement[] = [];
  const note = ({ target }: Event) => {
    const button = target instanceof Element && target.closest('button');
    // Not what React hears by itself from here on, what the browser sends, or what an impatient hand presses again.
    if (document.documentElement.hasAttribute('data-hydrating')) return;
    if (button && button.form?.method !== 'post' && button !== pressed.at(-1)) pressed.push(button);
  };
  document.addEventListener('click', note, true);
  new MutationObserver(async (_, observer) => {
    observer.disconnect();
    document.removeEventListener('click', note, true);
    for (const button of pressed) {
      button.click();
      // It may change what the next one does.
      await null;
    }
  }).observe(document.documentElement, { attributeFilter: ['data-hydrated'] });
}

/** Runs at the end of the document; `data-entry` is the first script, `data-chunks` those that it needs. */
export const startScript = `(${startWhenShown})()`;
