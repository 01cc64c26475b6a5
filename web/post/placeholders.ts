/** So soon a picture is there that the browser has kept: nothing may flash up before it. Milliseconds. */
export const placeholderDelayMs = 100;

/**
 * Shows a few pixels, drawn large, in the place of each picture inside that has not come yet, and takes them away once
 * it is ready to be painted: a transparent one would let them through. Stands in every document with such pictures as
 * text as well (see `placeholderScript` in web/entry-server.tsx), so it uses nothing from outside itself.
 */
export function showPlaceholders(root: ParentNode): void {
  for (const picture of root.querySelectorAll<HTMLImageElement>('img[data-tiny]')) {
    if (picture.complete) continue;
    const { style, dataset } = picture;
    const clear = () => {
      style.background = '';
    };
    // As high as the picture, at its start: web/styles/article.css places it there.
    style.background = `url(${dataset.tiny}) 0/auto 100% no-repeat`;
    // One that fails cannot be decoded either.
    picture.onload = picture.onerror = () => picture.decode().then(clear, clear);
  }
}
