import { GripVertical } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';

type DragHandleProps = {
  name: string;
  index: number;
  list: RefObject<HTMLOListElement | null>;
  onMove(by: 1 | -1): void;
};

/** How near to an edge of the window the page scrolls: the buttons that save cover the lower one. Pixels. */
const edge = { top: 96, bottom: 176 };
/** How far it scrolls with each frame, at most. */
const mostScroll = 16;

/** By which a row of a list is dragged to another place, with a finger or the mouse. Keys have buttons. */
export function DragHandle({ name, index, list, onMove }: DragHandleProps) {
  const current = useRef({ index, onMove });
  const dragging = useRef<AbortController>(null);
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    current.current = { index, onMove };
  });
  useEffect(() => () => dragging.current?.abort(), []);
  const drag = (start: number) => {
    dragging.current?.abort();
    dragging.current = new AbortController();
    const { signal } = dragging.current;
    let y = start;
    /** The place that the row is leaving, until it is at the next one. */
    let left: number | undefined;
    const step = () => {
      if (signal.aborted) return;
      window.scrollBy({ top: scrollAt(y), behavior: 'instant' });
      const { index, onMove } = current.current;
      const by = left === index ? 0 : wayFrom(list.current?.children, index, y);
      if (by !== 0) {
        left = index;
        onMove(by);
      }
      requestAnimationFrame(step);
    };
    const end = () => {
      dragging.current?.abort();
      setDragged(false);
    };
    // On the window: React moves the row meanwhile, and what is moved gets no more events.
    window.addEventListener('pointermove', ({ clientY }) => (y = clientY), { signal });
    for (const name of ['pointerup', 'pointercancel']) window.addEventListener(name, end, { signal });
    setDragged(true);
    requestAnimationFrame(step);
  };
  return (
    <span
      className="grip"
      title={`Drag ${name}`}
      data-dragged={isDragged || undefined}
      onPointerDown={event => {
        if (event.button !== 0) return;
        event.preventDefault();
        drag(event.clientY);
      }}
    >
      <GripVertical aria-hidden="true" />
    </span>
  );
}

/** How far the page scrolls with a frame while the finger is there: the faster, the nearer to an edge. */
function scrollAt(y: number): number {
  const above = edge.top - y;
  const below = y - (window.innerHeight - edge.bottom);
  if (above > 0) return -Math.min(mostScroll, above / 6);
  return below > 0 ? Math.min(mostScroll, below / 6) : 0;
}

/**
 * Where the row belongs while the finger is there. It moves once the finger is past the middle of its
 * neighbour: else rows of unlike height flicker.
 */
function wayFrom(rows: HTMLCollection | undefined, index: number, y: number): 1 | -1 | 0 {
  if (y < middleOf(rows?.[index - 1], Number.NEGATIVE_INFINITY)) return -1;
  return y > middleOf(rows?.[index + 1], Number.POSITIVE_INFINITY) ? 1 : 0;
}

function middleOf(row: Element | undefined, otherwise: number): number {
  if (row === undefined) return otherwise;
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
