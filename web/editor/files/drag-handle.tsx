import { GripVertical } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';

type DragHandleProps = {
  name: string;
  index: number;
  list: RefObject<HTMLOListElement | null>;
  onMove(by: 1 | -1): void;
};

/** By which a row of a list is dragged to another place, with a finger or the mouse. Keys have buttons. */
export function DragHandle({ name, index, list, onMove }: DragHandleProps) {
  const current = useRef({ index, onMove });
  useEffect(() => {
    current.current = { index, onMove };
  });
  const follow = (y: number) => {
    const { index, onMove } = current.current;
    const rows = list.current?.children;
    // A row moves once the finger is past the middle of its neighbour: else rows of unlike height flicker.
    if (y < middleOf(rows?.[index - 1], Number.NEGATIVE_INFINITY)) onMove(-1);
    else if (y > middleOf(rows?.[index + 1], Number.POSITIVE_INFINITY)) onMove(1);
  };
  return (
    <span
      className="grip"
      title={`Drag ${name}`}
      onPointerDown={event => {
        if (event.button !== 0) return;
        event.preventDefault();
        const dragging = new AbortController();
        const { signal } = dragging;
        const end = () => dragging.abort();
        // On the window: React moves the row meanwhile, and what is moved gets no more events.
        window.addEventListener('pointermove', ({ clientY }) => follow(clientY), { signal });
        for (const name of ['pointerup', 'pointercancel']) window.addEventListener(name, end, { signal });
      }}
    >
      <GripVertical aria-hidden="true" />
    </span>
  );
}

function middleOf(row: Element | undefined, otherwise: number): number {
  if (row === undefined) return otherwise;
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
