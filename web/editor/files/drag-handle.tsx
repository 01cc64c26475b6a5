import { GripVertical } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';

type Point = { x: number; y: number };

type DragHandleProps = {
  name: string;
  index: number;
  list: RefObject<HTMLOListElement | null>;
  onMove(by: 1 | -1): void;
};

/** How near to an edge of the window the page scrolls: the save bar covers the lower one. Pixels. */
const edge = { top: 96, bottom: 176 };
const mostScroll = 16;

/**
 * The handle by which a row or a tile is dragged to another place, with a finger or the mouse. The keyboard
 * has buttons.
 */
export function DragHandle({ name, index, list, onMove }: DragHandleProps) {
  const current = useRef({ index, onMove });
  const dragging = useRef<AbortController>(null);
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    current.current = { index, onMove };
  });
  useEffect(() => () => dragging.current?.abort(), []);
  const drag = (start: Point) => {
    dragging.current?.abort();
    dragging.current = new AbortController();
    const { signal } = dragging.current;
    let finger = start;
    /** The place that the row is leaving, until it has reached the next one. */
    let left: number | undefined;
    const step = () => {
      if (signal.aborted) return;
      window.scrollBy({ top: scrollAt(finger.y), behavior: 'instant' });
      const { index, onMove } = current.current;
      const by = left === index ? 0 : wayFrom(list.current?.children, index, finger);
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
    // On the window: React moves the row meanwhile, and moved elements get no more events.
    const follow = ({ clientX, clientY }: PointerEvent) => {
      finger = { x: clientX, y: clientY };
    };
    window.addEventListener('pointermove', follow, { signal });
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
        drag({ x: event.clientX, y: event.clientY });
      }}
    >
      <GripVertical aria-hidden="true" />
    </span>
  );
}

/** How far the page scrolls per frame for a finger here: faster nearer to an edge. */
function scrollAt(y: number): number {
  const above = edge.top - y;
  const below = y - (window.innerHeight - edge.bottom);
  if (above > 0) return -Math.min(mostScroll, above / 6);
  return below > 0 ? Math.min(mostScroll, below / 6) : 0;
}

/** How far from its middle the finger must leave a tile, or a row as high as the next one. */
const leavesAt = 0.75;

/**
 * The place of the row for a finger here. Next to a row of another height it moves once the finger is past
 * the middle of that: otherwise both would flicker.
 */
function wayFrom(rows: HTMLCollection | undefined, index: number, { x, y }: Point): 1 | -1 | 0 {
  const own = rows?.[index]?.getBoundingClientRect();
  if (own === undefined) return 0;
  const right = x - middle(own.left, own.width);
  const down = y - middle(own.top, own.height);
  const passes = (by: 1 | -1) => {
    const next = rows?.[index + by]?.getBoundingClientRect();
    if (next === undefined) return false;
    if (Math.abs(next.height - own.height) > 1) return by * (y - middle(next.top, next.height)) > 0;
    if (Math.abs(down) > own.height * leavesAt) return by * down > 0;
    const isBeside = next.top < own.bottom && own.top < next.bottom;
    return isBeside && by * right > own.width * leavesAt;
  };
  if (passes(-1)) return -1;
  return passes(1) ? 1 : 0;
}

const middle = (start: number, length: number) => start + length / 2;
