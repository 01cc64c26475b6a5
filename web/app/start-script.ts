/**
 * Loads the page's scripts once its text and its first picture are on the screen: until then the connection
 * and the processor are free for these. A hidden page does not wait, and none waits long for a picture. A
 * button that was pressed before hydration is pressed again after it; where the scripts do not come, it
 * offers to load the page again. The function is put into every document as text (see `startScript`), so it
 * uses nothing from outside itself.
 */
function startWhenShown(): void {
  const { entry = '', chunks = '' } = document.currentScript?.dataset ?? {};
  let isAsked = false;
  let hasFailed = false;
  const pressed: HTMLElement[] = [];
  const load = () => {
    if (isAsked) return;
    isAsked = true;
    const links = chunks
      .split(' ')
      .filter(Boolean)
      .map(href => Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
    document.head.append(...links);
    // Not a script element, whose address would have to be a trusted type. If it cannot be loaded, the page
    // can still be read, and a button that needs it says so.
    import(/* @vite-ignore */ entry).catch(() => {
      hasFailed = true;
      if (pressed.length > 0) offerReload();
    });
  };
  const offerReload = () => {
    if (confirm('This button needs scripts that could not be loaded. Load the page again?'))
      location.reload();
  };
  const loadAfterPicture = () => {
    const picture = document.querySelector<HTMLImageElement>('img[fetchpriority="high"]');
    if (picture === null) load();
    else picture.decode().then(load, load);
  };
  if (document.hidden) load();
  else {
    new PerformanceObserver(loadAfterPicture).observe({ type: 'paint', buffered: true });
    // Some browsers do not report paints.
    requestAnimationFrame(() => setTimeout(loadAfterPicture, 500));
    setTimeout(load, 3_000);
  }

  const note = ({ target }: Event) => {
    const button = target instanceof Element && target.closest('button');
    // Ignored are presses that React replays itself from here on, buttons of forms that the browser sends,
    // and repeated presses.
    if (document.documentElement.hasAttribute('data-hydrating')) return;
    if (!button || button.form?.matches('[method=post], [action]')) return;
    if (hasFailed) offerReload();
    else if (button !== pressed.at(-1)) pressed.push(button);
  };
  document.addEventListener('click', note, true);
  new MutationObserver(async (_, observer) => {
    observer.disconnect();
    document.removeEventListener('click', note, true);
    for (const button of pressed) {
      button.click();
      // Each press may change what the next one does.
      await null;
    }
  }).observe(document.documentElement, { attributeFilter: ['data-hydrated'] });
}

/** Runs at the end of the document; `data-entry` is the first script, `data-chunks` its dependencies. */
export const startScript = `(${startWhenShown})()`;
