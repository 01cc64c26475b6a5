/**
 * The delay before placeholders are shown, in milliseconds: a picture in the browser's cache appears sooner,
 * and no placeholder may flash before it.
 */
export const placeholderDelayMs = 100;

/**
 * Shows a tiny, enlarged preview in place of each picture that is not loaded yet, and removes it once the
 * picture can be painted: behind a transparent one it would be visible. The function is also put as text into
 * every document with such pictures (see `placeholderScript` in web/entry-server.tsx), so it uses nothing
 * from outside itself.
 */
export function showPlaceholders(root: ParentNode): void {
  for (const picture of root.querySelectorAll<HTMLImageElement>('img[data-tiny]')) {
    if (picture.complete) continue;
    const { style, dataset } = picture;
    const clear = () => {
      style.background = '';
    };
    // As high as the picture and at its start, as in web/styles/article.css; in a grid as in gallery.css.
    const place = picture.closest('.gallery') === null ? '0/auto 100%' : '50%/cover';
    style.background = `url(${dataset.tiny}) ${place} no-repeat`;
    // A failed picture cannot be decoded either.
    picture.onload = picture.onerror = () => picture.decode().then(clear, clear);
  }
}
