import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { placeholderDelayMs, showPlaceholders } from './placeholders.ts';

const Lightbox = lazy(() =>
  // Without its script the picture stays where it is, in the text.
  import('./lightbox.tsx').catch(() => ({ default: NoLightbox })),
);

export type Picture = Pick<HTMLImageElement, 'src' | 'srcset' | 'alt'> & { width?: number; height?: number };

/**
 * Opens the pictures inside it full-screen, those in the text and those attached alike. Before a script has run they are
 * plain pictures; then each is a button to the keyboard and to screen readers.
 */
export function Pictures({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<{ pictures: Picture[]; index: number }>();

  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    // The pictures of the text are the server's HTML: React does not know them.
    for (const picture of picturesIn(root)) {
      picture.tabIndex = 0;
      picture.setAttribute('role', 'button');
      picture.setAttribute('aria-label', picture.alt === '' ? 'Open image' : `Open image: ${picture.alt}`);
      picture.classList.add('zoom');
    }
    const openFrom = (event: Event) => {
      const all = picturesIn(root);
      const index = all.indexOf(event.target as HTMLImageElement);
      if (index < 0) return;
      event.preventDefault();
      setOpen({ pictures: all.map(pictureOf), index });
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Enter' || event.key === ' ') openFrom(event);
    };
    const timer = setTimeout(showPlaceholders, placeholderDelayMs, root);
    const listening = new AbortController();
    root.addEventListener('click', openFrom, listening);
    root.addEventListener('keydown', onKeyDown, listening);
    return () => {
      clearTimeout(timer);
      listening.abort();
    };
  });

  return (
    <>
      <div ref={place}>{children}</div>
      {open !== undefined && (
        <Suspense fallback={null}>
          <Lightbox pictures={open.pictures} start={open.index} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** Full-screen the browser chooses anew among its sizes; how large it is, it says where the page knows it. */
function pictureOf(image: HTMLImageElement): Picture {
  const { src, srcset, alt } = image;
  const [width, height] = [Number(image.getAttribute('width')), Number(image.getAttribute('height'))];
  return { src, srcset, alt, ...(width > 0 && height > 0 && { width, height }) };
}

/** Those that are no link: a picture in a link leads where its author meant it to. */
function picturesIn(root: HTMLElement | null): HTMLImageElement[] {
  return [...(root?.querySelectorAll('img') ?? [])].filter(picture => picture.closest('a') === null);
}

function NoLightbox(_: { pictures: readonly Picture[]; start: number; onClose(): void }): ReactNode {
  return null;
}
