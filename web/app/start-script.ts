/**
 * Asks for the page's scripts once its text is on the screen: until then the line is the text's and its fonts', and on a
 * slow one the scripts come no later for it. A page that nobody sees yet does not wait. Stands in every document as text
 * (see `startScript`), so it uses nothing from outside itself.
 */
function startWhenShown(): void {
  const { entry = '', chunks = '' } = document.currentScript?.dataset ?? {};
  const load = () => {
    const script = Object.assign(document.createElement('script'), { type: 'module', src: entry });
    const links = chunks
      .split(' ')
      .map(href => Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
    document.head.append(script, ...links);
  };
  if (document.hidden) load();
  // The frame that is about to come shows the text.
  else requestAnimationFrame(() => setTimeout(load));
}

/** Runs at the end of the document; `data-entry` is the first script, `data-chunks` those that it needs. */
export const startScript = `(${startWhenShown})()`;
