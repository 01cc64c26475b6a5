import { Dialog } from '@base-ui/react/dialog';
import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import type { Picture } from './pictures.tsx';

/** How far a finger must go to turn to another picture, in pixels. */
const swipe = 48;

/** Pictures full-screen, one at a time: arrows or a swipe turn, Escape, the backdrop or the button close. */
export default function Lightbox({
  pictures,
  start,
  onClose,
}: {
  pictures: readonly Picture[];
  start: number;
  onClose(): void;
}): ReactNode {
  const [index, setIndex] = useState(start);
  const [isOpen, setOpen] = useState(true);
  const from = useRef<{ x: number; y: number } | undefined>(undefined);
  const wasSwipe = useRef(false);
  const picture = pictures[index];
  const turn = (by: number) => setIndex(Math.min(Math.max(index + by, 0), pictures.length - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') turn(-1);
    else if (event.key === 'ArrowRight') turn(1);
    else if (event.key === 'Home') setIndex(0);
    else if (event.key === 'End') setIndex(pictures.length - 1);
    else return;
    event.preventDefault();
  };
  const onPointerUp = (event: PointerEvent) => {
    const begun = from.current;
    from.current = undefined;
    if (begun === undefined) return;
    const [x, y] = [event.clientX - begun.x, event.clientY - begun.y];
    wasSwipe.current = Math.abs(x) > swipe && Math.abs(x) > Math.abs(y);
    if (wasSwipe.current) turn(x < 0 ? 1 : -1);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen} onOpenChangeComplete={open => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Popup
          className="lightbox"
          aria-label={pictures.length > 1 ? `Image ${index + 1} of ${pictures.length}` : 'Image'}
          onKeyDown={onKeyDown}
          onPointerDown={event => {
            from.current = { x: event.clientX, y: event.clientY };
            wasSwipe.current = false;
          }}
          onPointerUp={onPointerUp}
          // The whole panel but the picture and the buttons is the backdrop.
          onClick={event => {
            if (event.target === event.currentTarget && !wasSwipe.current) setOpen(false);
          }}
        >
          <img src={picture?.src} alt={picture?.alt} draggable={false} />
          {picture?.alt && <p aria-hidden="true">{picture.alt}</p>}
          <Dialog.Close className="close" aria-label="Close">
            <X aria-hidden="true" />
          </Dialog.Close>
          {pictures.length > 1 && (
            <>
              <button
                type="button"
                className="turn back"
                aria-label="Previous image"
                disabled={index === 0}
                onClick={() => turn(-1)}
              >
                <ChevronLeft aria-hidden="true" />
              </button>
              <button
                type="button"
                className="turn"
                aria-label="Next image"
                disabled={index === pictures.length - 1}
                onClick={() => turn(1)}
              >
                <ChevronRight aria-hidden="true" />
              </button>
            </>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
