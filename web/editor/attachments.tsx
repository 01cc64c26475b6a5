import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { attachmentDescriptionMaxCharacters, attachmentsPerPost } from '../../contract/limits.ts';
import type { EditorAttachment } from './draft.ts';

type AttachmentsProps = {
  attachments: readonly EditorAttachment[];
  onChange(attachments: EditorAttachment[]): void;
  onFiles(files: File[]): void;
};

/** What hangs on the post below its text, in the order in which readers see it. */
export function Attachments({ attachments, onChange, onFiles }: AttachmentsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const move = (from: number, to: number) => {
    const moved = attachments.toSpliced(from, 1).toSpliced(to, 0, ...attachments.slice(from, from + 1));
    onChange(moved);
  };
  return (
    <section className="section" aria-labelledby="attachments-title">
      <h2 id="attachments-title">Attachments</h2>
      {attachments.length > 0 && (
        <ol ref={list} className="files">
          {attachments.map((file, index) => (
            <li key={file.url}>
              {file.type.startsWith('image/') ? <img src={file.url} alt="" /> : <span className="thumb" />}
              <div className="about-file">
                <strong>{file.name}</strong>
                <span className="sub">{formatSize(file.size)}</span>
                <input
                  className="input"
                  aria-label={`Description of ${file.name}`}
                  placeholder="Description"
                  maxLength={attachmentDescriptionMaxCharacters}
                  value={file.description}
                  onChange={event =>
                    onChange(attachments.with(index, { ...file, description: event.currentTarget.value }))
                  }
                />
              </div>
              <div className="acts">
                <button
                  type="button"
                  aria-label={`Move ${file.name} up`}
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                >
                  <ArrowUp aria-hidden="true" />
                </button>
                <button
                  type="button"
                  aria-label={`Move ${file.name} down`}
                  disabled={index === attachments.length - 1}
                  onClick={() => move(index, index + 1)}
                >
                  <ArrowDown aria-hidden="true" />
                </button>
                <button
                  type="button"
                  aria-label={`Remove ${file.name}`}
                  onClick={() => onChange(attachments.filter(other => other !== file))}
                >
                  <Trash2 aria-hidden="true" />
                </button>
              </div>
            </li>
          ))}
        </ol>
      )}
      <button
        type="button"
        className="button"
        disabled={attachments.length >= attachmentsPerPost}
        onClick={() => chooser.current?.click()}
      >
        Add attachments
      </button>
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        aria-label="Files to attach"
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </section>
  );
}

/** A size in the unit that people read. */
function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
