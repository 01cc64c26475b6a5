import { ArrowDown, ArrowUp, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Act } from '../files/act.tsx';
import { DragHandle } from '../files/drag-handle.tsx';
import { FileItem, TilesHint, useTiles } from '../files/file-item.tsx';
import type { useFiles } from '../files/use-files.ts';
import type { Writing } from '../text/code-mirror.ts';
import { type PictureInText, pictureMarkdown, picturesIn } from './pictures-in-text.ts';

type PicturesInTextProps = {
  content: string;
  writing: RefObject<Writing | null>;
  files: Pick<ReturnType<typeof useFiles>, 'turn' | 'isTurning' | 'keyOf' | 'shownAs'>;
  /** Shown above the pictures, if there are any. */
  children?: ReactNode;
  onTurned(before: string, after: string): void;
};

/** The pictures of the text, with fields for their words, which change its Markdown. */
export function PicturesInText({ content, writing, files, children, onTurned }: PicturesInTextProps) {
  const list = useRef<HTMLOListElement>(null);
  const [announcement, setAnnouncement] = useState('');
  const [removed, setRemoved] = useState<{ from: number; written: string; rest: string }>();
  const pictures = picturesIn(content);
  const count = pictures.length;
  const { isTiled, tile } = useTiles(count);
  // Its place is known until the text changes.
  const canUndo = removed?.rest === content;
  if (count === 0 && !canUndo) return null;
  // The same picture may occur twice.
  const keys = pictures.map(({ url }, at) => {
    const before = pictures.slice(0, at).filter(other => other.url === url).length;
    return `${files.keyOf(url)} ${before}`;
  });
  const describe = (picture: PictureInText, words: Partial<PictureInText>) => {
    const insert = pictureMarkdown({ ...picture, ...words });
    writing.current?.change(() => [{ from: picture.from, to: picture.to, insert }]);
  };
  const swap = (index: number, by: 1 | -1) => {
    const one = pictures[index];
    const other = pictures[index + by];
    if (one === undefined || other === undefined) return;
    writing.current?.change(() => [
      { from: one.from, to: one.to, insert: pictureMarkdown(other) },
      { from: other.from, to: other.to, insert: pictureMarkdown(one) },
    ]);
    setAnnouncement(`Picture ${index + 1} is ${index + 1 + by} of ${count} now.`);
    setRemoved(undefined);
  };
  const turn = async (index: number, { url }: PictureInText) => {
    setAnnouncement(`Turning picture ${index + 1}...`);
    const isTurned = await files.turn(url, url.split('/')[3] || 'picture', ({ url: address }) => {
      // The author may have gone on writing.
      writing.current?.change(text =>
        picturesIn(text)
          .filter(picture => picture.url === url)
          .map(place => ({
            from: place.from,
            to: place.to,
            insert: pictureMarkdown({ ...place, url: address }),
          })),
      );
      onTurned(url, address);
      setAnnouncement(`Picture ${index + 1} is turned.`);
    });
    if (!isTurned) setAnnouncement(`Picture ${index + 1} could not be turned.`);
  };
  const remove = (index: number, { from, to }: PictureInText) => {
    // A line of its own is removed, too.
    const end = content[to] === '\n' && (from === 0 || content[from - 1] === '\n') ? to + 1 : to;
    const rows = list.current?.children;
    const next = rows?.[index + 1] ?? rows?.[index - 1];
    setAnnouncement(`Picture ${index + 1} is removed.`);
    setRemoved({
      from,
      written: content.slice(from, end),
      rest: content.slice(0, from) + content.slice(end),
    });
    writing.current?.change(() => [{ from, to: end, insert: '' }]);
    (next?.querySelector<HTMLElement>('button:last-child') ?? list.current)?.focus();
  };
  const putBack = () => {
    if (removed === undefined) return;
    const { from, written } = removed;
    writing.current?.change(() => [{ from, to: from, insert: written }]);
    list.current?.focus();
    setAnnouncement('The picture is back.');
    setRemoved(undefined);
  };
  return (
    <section className="section" aria-labelledby="pictures-title">
      <h2 id="pictures-title">Pictures in the text {count > 0 && <span className="amount">{count}</span>}</h2>
      <p className={canUndo ? 'hint' : 'hidden'} role="status">
        <span>{announcement}</span>{' '}
        {canUndo && (
          <button type="button" className="quiet" onClick={putBack}>
            Undo
          </button>
        )}
      </p>
      {count > 0 && children}
      {isTiled && <TilesHint />}
      <ol ref={list} className={isTiled ? 'files tiles' : 'files'} tabIndex={-1}>
        {pictures.map((picture, index) => (
          <FileItem
            key={keys[index]}
            {...tile(keys[index] ?? '')}
            name={`Picture ${index + 1}`}
            caption={picture.caption}
            handle={
              <DragHandle
                name={`picture ${index + 1}`}
                index={index}
                list={list}
                onMove={by => swap(index, by)}
              />
            }
            thumb={<img src={files.shownAs(picture.url)} alt="" loading="lazy" decoding="async" />}
            acts={
              <>
                <Act
                  name={`Turn picture ${index + 1}`}
                  icon={RotateCw}
                  isOff={files.isTurning(picture.url)}
                  onAct={() => void turn(index, picture)}
                />
                <Act
                  name={`Move picture ${index + 1} up`}
                  icon={ArrowUp}
                  isOff={index === 0}
                  onAct={() => swap(index, -1)}
                />
                <Act
                  name={`Move picture ${index + 1} down`}
                  icon={ArrowDown}
                  isOff={index === count - 1}
                  onAct={() => swap(index, 1)}
                />
                <Act
                  name={`Remove picture ${index + 1}`}
                  icon={Trash2}
                  onAct={() => remove(index, picture)}
                />
              </>
            }
          >
            <Words
              label={`Caption of picture ${index + 1}`}
              placeholder="Caption"
              value={picture.caption}
              onChange={caption => describe(picture, { caption })}
            />
            <Words
              label={`Description of picture ${index + 1} for those who do not see it`}
              placeholder="For those who do not see it"
              value={picture.alt}
              onChange={alt => describe(picture, { alt })}
            />
          </FileItem>
        ))}
      </ol>
    </section>
  );
}

type WordsProps = { label: string; placeholder: string; value: string; onChange(value: string): void };

function Words({ label, placeholder, value, onChange }: WordsProps) {
  return (
    <input
      className="input"
      dir="auto"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
