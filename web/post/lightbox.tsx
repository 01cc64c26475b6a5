import { Dialog } from '@base-ui/react/dialog';
import { ChevronLeft, ChevronRight, Download, X } from 'lucide-react';
import {
  type PointerEvent,
  type ReactNode,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { postPictures } from '../../contract/files.ts';
import { useBackCloses } from '../ui/back-closes.ts';
import type { Picture } from './pictures.tsx';
import '../styles/lightbox.css';

/** How far a finger must move to show another picture, in pixels. */
const swipe = 48;

type LightboxProps = { postId: string; pictures: readonly Picture[]; start: number; onClose(): void };

/**
 * The pictures of a post full-screen, one at a time. Arrow keys or a swipe show the next one; Escape, Back,
 * the backdrop or the button close it.
 */
export default function Lightbox({ postId, pictures, start, onClose }: LightboxProps): ReactNode {
  const [index, setIndex] = useState(start);
  const [isOpen, setOpen] = useState(true);
  const close = useRef<HTMLButtonElement>(null);
  useBackCloses(isOpen, () => setOpen(false));
  const isZoomed = useZoomed();
  const picture = pictures[index];
  const last = pictures.length - 1;
  // The first picture is not announced before another one was shown: the dialog's name tells it.
  const [hasTurned, setTurned] = useState(false);
  const show = (at: number) => {
    setIndex(Math.min(Math.max(at, 0), last));
    setTurned(true);
  };
  const turn = (by: number) => show(index + by);
  const { wasSwipe, ...pointer } = useSwipe(turn, isZoomed);
  useKeys(key => {
    if (key === 'ArrowLeft') turn(-1);
    else if (key === 'ArrowRight') turn(1);
    else if (key === 'Home') show(0);
    else if (key === 'End') show(last);
    else return false;
    return true;
  });
  const place = pictures.length > 1 ? `Image ${index + 1} of ${pictures.length}` : 'Image';
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen} onOpenChangeComplete={open => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Popup
          className={isZoomed ? 'lightbox zoomed' : 'lightbox'}
          aria-label={place}
          initialFocus={close}
          {...pointer}
          // The whole panel except the picture and the buttons is the backdrop.
          onClick={event => {
            const isBackdrop =
              event.target === event.currentTarget || event.target === event.currentTarget.firstChild;
            if (isBackdrop && !wasSwipe.current) setOpen(false);
          }}
        >
          <div className="top">
            <p aria-hidden="true">{pictures.length > 1 && `${index + 1} / ${pictures.length}`}</p>
            {picture !== undefined && <Downloads postId={postId} pictures={pictures} picture={picture} />}
            <Dialog.Close ref={close} className="close" aria-label="Close">
              <X aria-hidden="true" />
            </Dialog.Close>
          </div>
          {picture !== undefined && <FullPicture key={index} picture={picture} />}
          <p className="hidden" role="status">
            {hasTurned && `${place}${wordsOf(picture)}`}
          </p>
          {pictures.length > 1 && <TurnButtons isFirst={index === 0} isLast={index === last} onTurn={turn} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type TurnButtonsProps = { isFirst: boolean; isLast: boolean; onTurn(by: 1 | -1): void };

function TurnButtons({ isFirst, isLast, onTurn }: TurnButtonsProps) {
  return (
    <>
      <button
        type="button"
        className="turn back"
        aria-label="Previous image"
        aria-disabled={isFirst}
        onClick={() => onTurn(-1)}
      >
        <ChevronLeft aria-hidden="true" />
      </button>
      <button
        type="button"
        className="turn"
        aria-label="Next image"
        aria-disabled={isLast}
        onClick={() => onTurn(1)}
      >
        <ChevronRight aria-hidden="true" />
      </button>
    </>
  );
}

/** The words of a picture for screen readers: its alternative text, or else its caption. */
function wordsOf(picture: Picture | undefined): string {
  const words = picture?.alt || picture?.caption;
  return words ? `: ${words}` : '';
}

type DownloadsProps = { postId: string; pictures: readonly Picture[]; picture: Picture };

/** Links that save the picture, and all of the post, if they are files of this site. */
function Downloads({ postId, pictures, picture }: DownloadsProps) {
  const own = pictures.filter(isOwn);
  return (
    <>
      {own.length > 1 && (
        <a href={postPictures(postId)} download>
          Download all
        </a>
      )}
      {isOwn(picture) && (
        <a
          className="download"
          href={picture.src}
          download
          aria-label="Download image"
          title="Download image"
        >
          <Download aria-hidden="true" />
        </a>
      )}
    </>
  );
}

function isOwn({ src }: Picture): boolean {
  const { origin, pathname } = new URL(src);
  return origin === window.location.origin && pathname.startsWith('/files/');
}

function FullPicture({ picture: { src, srcset, alt, caption, width } }: { picture: Picture }) {
  return (
    <>
      <img
        // As wide as the screen, but no wider than the picture.
        sizes={width === undefined ? '100vw' : `min(100vw, ${width}px)`}
        srcSet={srcset || undefined}
        src={src}
        alt={alt}
        draggable={false}
      />
      {caption && (
        <p className="caption" dir="auto">
          {caption}
        </p>
      )}
    </>
  );
}

/**
 * Calls `onKey` with each key pressed without Alt, Ctrl or Cmd, which belong to the browser. It listens on
 * the whole page, because the dialog gets the focus only with the next frame, and a key pressed before that
 * counts, too.
 * @param onKey Returns whether it used the key.
 */
function useKeys(onKey: (key: string) => boolean) {
  const tell = useEffectEvent((event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (onKey(event.key)) event.preventDefault();
  });
  useLayoutEffect(() => {
    // In the capture phase: the library's dialog stops the arrow keys as they bubble.
    document.addEventListener('keydown', tell, { capture: true });
    return () => document.removeEventListener('keydown', tell, { capture: true });
  }, []);
}

/** Whether the page is zoomed in: then one finger scrolls instead of showing another picture. */
function useZoomed(): boolean {
  return useSyncExternalStore(
    notify => {
      window.visualViewport?.addEventListener('resize', notify);
      return () => window.visualViewport?.removeEventListener('resize', notify);
    },
    () => (window.visualViewport?.scale ?? 1) > 1.01,
  );
}

/**
 * Shows another picture after a swipe with one finger or the mouse. `wasSwipe` distinguishes the click that
 * follows a swipe from a real one.
 */
function useSwipe(turn: (by: number) => void, isZoomed: boolean) {
  const from = useRef<{ x: number; y: number } | undefined>(undefined);
  const wasSwipe = useRef(false);
  return {
    wasSwipe,
    onPointerDown: (event: PointerEvent) => {
      wasSwipe.current = false;
      // A second finger makes it a pinch.
      from.current = event.isPrimary && !isZoomed ? { x: event.clientX, y: event.clientY } : undefined;
    },
    onPointerCancel: () => {
      from.current = undefined;
    },
    onPointerUp: (event: PointerEvent) => {
      const begun = from.current;
      from.current = undefined;
      if (begun === undefined) return;
      const x = event.clientX - begun.x;
      const y = event.clientY - begun.y;
      wasSwipe.current = Math.abs(x) > swipe && Math.abs(x) > Math.abs(y);
      if (wasSwipe.current) turn(x < 0 ? 1 : -1);
    },
  };
}
