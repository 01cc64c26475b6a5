import { ArrowDown, ArrowUp, Film, Paperclip, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { attachmentsPerPost } from '../../../contract/constants.ts';
import { shownName } from '../../../contract/files.ts';
import { useSettings } from '../../app/site.tsx';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { formatSize } from '../../ui/format-size.ts';
import type { EditorAttachment } from '../unsaved/draft.ts';
import { isDescribedTooLong } from '../unsaved/post-fields.ts';
import { VoiceButton } from '../voice/voice-button.tsx';
import { Act } from './act.tsx';
import { DragHandle } from './drag-handle.tsx';
import { FileItem, TilesHint, useTiles } from './file-item.tsx';
import { FileWords } from './file-words.tsx';
import { canTurn } from './turn.ts';
import type { useFiles } from './use-files.ts';

type AttachmentsProps = {
  attachments: readonly EditorAttachment[];
  onChange(attachments: EditorAttachment[]): void;
  /** Replaces one by a rotated copy, which has another address. */
  onTurned(url: string, turned: Partial<EditorAttachment>): void;
  files: Pick<
    ReturnType<typeof useFiles>,
    'attach' | 'pictureOfPost' | 'turn' | 'isTurning' | 'keyOf' | 'shownAs' | 'setRecording'
  >;
};

/** The attachments of the post, in the order in which readers see them. */
export function Attachments({ attachments, onChange, onTurned, files }: AttachmentsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const { list, moved, say, move, remove, undo } = useArranging(attachments, onChange, add);
  const count = attachments.length;
  const { isTiled, tile } = useTiles(count);
  const { fileMaxMib } = useSettings();
  const turn = async ({ url, name }: EditorAttachment) => {
    say(`Turning ${name}...`);
    const isTurned = await files.turn(url, name, ({ url: address, size }) => {
      onTurned(url, { url: address, size });
      say(`${name} is turned.`);
    });
    if (!isTurned) say(`${name} could not be turned.`);
  };
  return (
    <section
      className="section"
      aria-labelledby="attachments-title"
      onDrop={event => {
        const dropped = [...event.dataTransfer.files];
        if (dropped.length === 0) return;
        event.preventDefault();
        // A picture dragged from the preview is on the post already.
        if (files.pictureOfPost(event.dataTransfer) === undefined) files.attach(dropped);
      }}
    >
      <h2 id="attachments-title">Attachments {count > 0 && <span className="amount">{count}</span>}</h2>
      <p className={undo === undefined ? 'hidden' : 'hint'} role="status">
        {moved}{' '}
        {undo !== undefined && (
          <button type="button" className="quiet" onClick={undo}>
            Undo
          </button>
        )}
      </p>
      {isTiled && <TilesHint />}
      {count > 0 && (
        <ol ref={list} className={isTiled ? 'files tiles' : 'files'}>
          {attachments.map((file, index) => (
            <AttachmentItem
              key={files.keyOf(file.url)}
              file={file}
              tile={tile(files.keyOf(file.url))}
              thumb={<Thumb file={file} shownAs={files.shownAs} />}
              handle={
                <DragHandle
                  name={shownName(file.name, file.type)}
                  index={index}
                  list={list}
                  onMove={by => move(index, index + by)}
                />
              }
              isFirst={index === 0}
              isLast={index === count - 1}
              onDescribe={words => onChange(attachments.with(index, { ...file, ...words }))}
              onTurn={() => void turn(file)}
              onMove={by => move(index, index + by)}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      <div className="acts">
        <button
          ref={add}
          type="button"
          className="button"
          disabled={count >= attachmentsPerPost}
          onClick={() => chooser.current?.click()}
        >
          <Paperclip aria-hidden="true" /> Add attachments
        </button>
        <VoiceButton
          isOff={count >= attachmentsPerPost}
          onActive={files.setRecording}
          onRecorded={file => files.attach([file])}
        />
      </div>
      <p className="hint">
        {count < attachmentsPerPost
          ? `A file has at most ${fileMaxMib} MB.`
          : `A post has at most ${attachmentsPerPost} attachments.`}
      </p>
      <FileChooser ref={chooser} label="Files to attach" isMany onFiles={files.attach} />
    </section>
  );
}

/**
 * Moves and removes attachments of a list, and announces it. The focus stays in the list, or goes to `add`
 * when it is empty.
 */
function useArranging(
  attachments: readonly EditorAttachment[],
  onChange: AttachmentsProps['onChange'],
  add: RefObject<HTMLButtonElement | null>,
) {
  const list = useRef<HTMLOListElement>(null);
  const [moved, setMoved] = useState('');
  const [removed, setRemoved] = useState<{ file: EditorAttachment; index: number }>();
  const count = attachments.length;
  const move = (from: number, to: number) => {
    const file = attachments[from];
    if (file === undefined || to < 0 || to >= count) return;
    onChange(attachments.toSpliced(from, 1).toSpliced(to, 0, file));
    setRemoved(undefined);
    setMoved(`${shownName(file.name, file.type)} is ${to + 1} of ${count} now.`);
  };
  const remove = (index: number) => {
    // Before the row is removed, so that the focus is not lost.
    const rows = list.current?.children;
    const next = rows?.[index + 1] ?? rows?.[index - 1];
    (next?.querySelector<HTMLElement>('button:last-child') ?? add.current)?.focus();
    const file = attachments[index];
    if (file === undefined) return;
    setMoved(`${shownName(file.name, file.type)} is removed.`);
    setRemoved({ file, index });
    onChange(attachments.toSpliced(index, 1));
  };
  const putBack = () => {
    if (removed === undefined || count >= attachmentsPerPost) return;
    flushSync(() => {
      onChange(attachments.toSpliced(removed.index, 0, removed.file));
      setMoved(`${shownName(removed.file.name, removed.file.type)} is back.`);
      setRemoved(undefined);
    });
    const row = list.current?.children[removed.index];
    row?.querySelector<HTMLElement>('button:last-child')?.focus();
  };
  return { list, moved, say: setMoved, move, remove, undo: removed === undefined ? undefined : putBack };
}

type AttachmentItemProps = {
  file: EditorAttachment;
  tile: ReturnType<ReturnType<typeof useTiles>['tile']>;
  thumb: ReactNode;
  handle: ReactNode;
  isFirst: boolean;
  isLast: boolean;
  onDescribe(words: Partial<EditorAttachment>): void;
  onTurn(): void;
  /** Moves it by one place, down with 1 and up with -1. */
  onMove(by: 1 | -1): void;
  onRemove(): void;
};

function AttachmentItem({
  file,
  tile,
  thumb,
  handle,
  isFirst,
  isLast,
  onDescribe,
  onTurn,
  onMove,
  onRemove,
}: AttachmentItemProps) {
  const name = shownName(file.name, file.type);
  return (
    <FileItem
      {...tile}
      // An error of the save refers to its fields.
      isOpen={tile.isOpen || isDescribedTooLong(file)}
      name={name}
      caption={file.description}
      handle={handle}
      thumb={thumb}
      acts={
        <>
          {canTurn(file.type) && <Act name={`Turn ${name}`} icon={RotateCw} onAct={onTurn} />}
          <Act name={`Move ${name} up`} icon={ArrowUp} isOff={isFirst} onAct={() => onMove(-1)} />
          <Act name={`Move ${name} down`} icon={ArrowDown} isOff={isLast} onAct={() => onMove(1)} />
          <Act name={`Remove ${name}`} icon={Trash2} onAct={onRemove} />
        </>
      }
    >
      <strong>{name}</strong>
      <span className="sub">{formatSize(file.size)}</span>
      <FileWords file={file} onDescribe={onDescribe} />
    </FileItem>
  );
}

type ThumbProps = { file: EditorAttachment; shownAs(url: string): string };

function Thumb({ file: { name, url, type, thumbnail }, shownAs }: ThumbProps) {
  const picture = type.startsWith('image/') ? url : thumbnail;
  if (picture) return <img src={shownAs(picture)} alt="" loading="lazy" decoding="async" />;
  const Icon = type.startsWith('video/') ? Film : Paperclip;
  return (
    <span className="thumb">
      <Icon aria-hidden="true" />
      <span className="thumb-name">{shownName(name, type)}</span>
    </span>
  );
}
