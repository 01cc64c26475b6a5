import { type ReactNode, useState } from 'react';
import { keepInPlace } from './act.tsx';

/** With more files than this each is a tile, and one at a time is open. */
const mostRows = 6;

/**
 * Which of many files is open: thirty photos with all their fields are seven thousand pixels high. A row
 * being edited stays open when more files make it a tile.
 */
export function useTiles(count: number) {
  const [open, setOpen] = useState<string>();
  const isTiled = count > mostRows;
  return {
    isTiled,
    /** The properties of a tile for {@link FileItem}. */
    tile: (key: string) => ({
      isTiled,
      isOpen: open === key,
      onOpen: (isOpen: boolean) => setOpen(isOpen ? key : undefined),
    }),
  };
}

/** Explains the tiles above them. */
export function TilesHint() {
  return <p className="hint">Press one to say what is on it, turn, move or remove it.</p>;
}

type FileItemProps = ReturnType<ReturnType<typeof useTiles>['tile']> & {
  name: string;
  caption: string;
  handle: ReactNode;
  thumb: ReactNode;
  acts: ReactNode;
  /** The fields about it. */
  children: ReactNode;
};

/** A file of a post: a row, or one of many tiles. */
export function FileItem(props: FileItemProps) {
  const { name, caption, handle, thumb, acts, children, isTiled, isOpen, onOpen } = props;
  return (
    <li className={isTiled && !isOpen ? 'tile' : undefined} onFocus={() => !isTiled && onOpen(true)}>
      {handle}
      {isTiled ? (
        <button
          type="button"
          className="opener"
          title={name}
          aria-label={caption === '' ? name : `${name}: ${caption}`}
          aria-expanded={isOpen}
          data-said={caption || undefined}
          onClick={({ currentTarget }) => {
            keepInPlace(currentTarget);
            onOpen(!isOpen);
          }}
        >
          {thumb}
        </button>
      ) : (
        thumb
      )}
      {(!isTiled || isOpen) && (
        <>
          <div className="about-file">{children}</div>
          <div className="acts">{acts}</div>
        </>
      )}
    </li>
  );
}
