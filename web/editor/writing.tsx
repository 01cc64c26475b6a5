import { Toolbar } from '@base-ui/react/toolbar';
import { Bold, Code, Heading, ImagePlus, Italic, Link, List, type LucideIcon, Quote } from 'lucide-react';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { startWriting, type Writing } from './code-mirror.ts';
import type { Format } from './commands.ts';

const buttons: { format: Format; name: string; keys: string; icon: LucideIcon }[] = [
  { format: 'bold', name: 'Bold', keys: 'Ctrl+B', icon: Bold },
  { format: 'italic', name: 'Italic', keys: 'Ctrl+I', icon: Italic },
  { format: 'link', name: 'Link', keys: 'Ctrl+K', icon: Link },
  { format: 'heading', name: 'Heading', keys: 'Ctrl+Alt+2', icon: Heading },
  { format: 'quote', name: 'Quote', keys: 'Ctrl+Shift+9', icon: Quote },
  { format: 'list', name: 'List', keys: 'Ctrl+Shift+8', icon: List },
  { format: 'code', name: 'Code', keys: 'Ctrl+E', icon: Code },
];

type WritingAreaProps = {
  /** What it starts with; later changes come from the author alone. Another text needs another key. */
  content: string;
  onChange(content: string): void;
  /** Files for the text, and how to put a paragraph where the cursor stood when they came. */
  onFiles(files: File[], mark: Writing['mark']): void;
  ref: Ref<Pick<Writing, 'focus'>>;
};

/** The text and its toolbar. */
export function WritingArea({ content, onChange, onFiles, ref }: WritingAreaProps) {
  const host = useRef<HTMLDivElement>(null);
  const writing = useRef<Writing>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const latest = useRef({ content, onChange, onFiles });
  useEffect(() => {
    latest.current = { content, onChange, onFiles };
  });
  useImperativeHandle(ref, () => ({ focus: () => writing.current?.focus() }), []);
  useEffect(() => {
    if (host.current === null) return;
    const started = startWriting({
      host: host.current,
      content: latest.current.content,
      label: 'Content',
      onChange: text => latest.current.onChange(text),
      onFiles: files => latest.current.onFiles(files, started.mark),
    });
    writing.current = started;
    return () => started.destroy();
  }, []);
  return (
    <div className="writing">
      <Toolbar.Root className="toolbar" aria-label="Formatting">
        {buttons.map(({ format, name, keys, icon: Icon }) => (
          <Toolbar.Button
            key={format}
            aria-label={name}
            title={`${name} (${keys})`}
            onClick={() => writing.current?.format(format)}
          >
            <Icon aria-hidden="true" />
          </Toolbar.Button>
        ))}
        <Toolbar.Button
          aria-label="Insert image or video"
          title="Insert image or video"
          onClick={() => chooser.current?.click()}
        >
          <ImagePlus aria-hidden="true" />
        </Toolbar.Button>
      </Toolbar.Root>
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        accept="image/*,video/*"
        aria-label="Images and videos to insert"
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0 && writing.current !== null) onFiles(files, writing.current.mark);
        }}
      />
      <div ref={host} className="paper" />
    </div>
  );
}
