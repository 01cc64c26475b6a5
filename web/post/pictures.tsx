import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isHeardOnly } from './heard-only.ts';
import { placeholderDelayMs, showPlaceholders } from './placeholders.ts';

import type { Medium } from './players.ts';

type Lightbox = typeof import('./lightbox.tsx').default;

export type Picture = Pick<HTMLImageElement, 'src' | 'srcset' | 'alt'> & { caption: string; width?: number };

/**
 * Opens the pictures of a post full-screen, both those in the text and attachments. Without scripts they are
 * plain pictures; with scripts each is a button for the keyboard and for screen readers.
 */
export function Pictures({ postId, children }: { postId: string; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<{ View: Lightbox; pictures: Picture[]; start: number }>();

  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    // Without its script a player or picture stays as it is.
    const withPlayers = (act: (players: typeof import('./players.ts')) => unknown) =>
      import('./players.ts').then(act, () => {});
    const explain = (medium: Medium) => withPlayers(({ explainFailure }) => explainFailure(medium));
    // The pictures in the text are HTML from the server, which React does not know.
    picturesIn(root).forEach((picture, at, { length }) => {
      picture.tabIndex = 0;
      picture.setAttribute('role', 'button');
      picture.setAttribute('aria-label', nameOf(picture, length > 1 ? ` ${at + 1} of ${length}` : ''));
      // An empty alternative text marks decoration, which a button is not.
      if (picture.alt === '') picture.removeAttribute('alt');
      picture.classList.add('zoom');
      // It failed before this script was loaded.
      if (picture.complete && !picture.naturalWidth) void explain(picture);
    });
    const openFrom = (event: Event) => {
      const all = picturesIn(root);
      const picture = event.target as HTMLImageElement;
      const start = all.indexOf(picture);
      if (start < 0) return;
      event.preventDefault();
      import('./lightbox.tsx').then(
        ({ default: View }) => setOpen({ View, pictures: all.map(pictureOf), start }),
        // Without its script the picture alone is opened.
        () => location.assign(picture.src),
      );
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Enter' || event.key === ' ') openFrom(event);
    };
    const timer = setTimeout(showPlaceholders, placeholderDelayMs, root);
    const listening = new AbortController();
    const { signal } = listening;
    root.addEventListener('click', openFrom, { signal });
    root.addEventListener('keydown', onKeyDown, { signal });
    for (const video of root.querySelectorAll('video')) showShape(video);
    // The event of a video does not bubble.
    root.addEventListener(
      'loadedmetadata',
      ({ target }) => {
        showShape(target);
        if (target instanceof HTMLMediaElement && isHeardOnly(target)) void explain(target);
      },
      { capture: true, signal },
    );
    root.addEventListener(
      'error',
      ({ target }) => {
        const medium = (target as Element).closest<Medium>('img, video, audio');
        if (medium !== null) void explain(medium);
      },
      { capture: true, signal },
    );
    for (const player of root.querySelectorAll<HTMLMediaElement>('video, audio')) {
      // As above.
      const hasFailed = player.networkState === HTMLMediaElement.NETWORK_NO_SOURCE;
      if (hasFailed || isHeardOnly(player)) void explain(player);
    }
    if (root.querySelector('audio') !== null) void withPlayers(({ addSpeeds }) => addSpeeds(root));
    return () => {
      clearTimeout(timer);
      listening.abort();
    };
  });

  return (
    <>
      <div ref={place}>{children}</div>
      {open !== undefined && (
        <open.View
          postId={postId}
          pictures={open.pictures}
          start={open.start}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** A video without a poster, like those in a text, has its dimensions once its first bytes are loaded. */
function showShape(video: EventTarget | null): void {
  if (!(video instanceof HTMLVideoElement) || video.hasAttribute('width')) return;
  if (video.videoHeight > video.videoWidth) video.classList.add('tall');
}

/**
 * The name of a picture as a button: its words or, without any, its place among the pictures of the post. The
 * last one of a preview says how many more there are.
 */
function nameOf(picture: HTMLImageElement, place: string): string {
  const name = `Open image${picture.alt ? `: ${picture.alt}` : place}`;
  const more = picture.closest('.timeline .gallery > figure')?.getAttribute('data-more');
  return more == null ? name : `${name} (${more} more)`;
}

/**
 * A picture for the lightbox, where the browser chooses again among its sizes. Its width is set if the page
 * knows it.
 */
function pictureOf(image: HTMLImageElement): Picture {
  const { src, srcset, alt, title } = image;
  const caption = image.closest('figure')?.querySelector('figcaption')?.textContent ?? title;
  const width = Number(image.getAttribute('width'));
  return { src, srcset, alt, caption, ...(width > 0 && { width }) };
}

/** The pictures outside of links: a linked picture leads where its author wants. */
function picturesIn(root: HTMLElement): HTMLImageElement[] {
  return [...root.querySelectorAll('img')].filter(picture => picture.closest('a') === null);
}
