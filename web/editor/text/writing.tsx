import { Toolbar } from '@base-ui/react/toolbar';
import { CircleQuestionMark, ImagePlus } from 'lucide-react';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { startWriting, type TextHandle, type Writing } from './code-mirror.ts';
import { formats, keysOf, withModifier } from './formats.ts';
import { Help } from './help.tsx';

type WritingAreaProps = {
  /** The initial text; later changes come only from the author. Another text needs another React key. */
  content: string;
  onChange(content: string): void;
  /** Called with files for the text, and the function that remembers the place of the cursor. */
  onFiles(files: File[], mark: Writing['mark']): void;
  ref: Ref<TextHandle>;
};

/** The text and its toolbar. */
export function WritingArea({ content, onChange, onFiles, ref }: WritingAreaProps) {
  const host = useRef<HTMLDivElement>(null);
  const writing = useRef<Writing>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const latest = useRef({ content, onChange, onFiles });
  useEffect(() => {
    latest.current = { content, onChange, onFiles };
  });
  useImperativeHandle(
    ref,
    () => ({
      focus: () => writing.current?.focus(),
      append: paragraph => writing.current?.append(paragraph),
      insert: files => {
        if (writing.current !== null) latest.current.onFiles(files, writing.current.mark);
      },
    }),
    [],
  );
  useEffect(() => {
    if (host.current === null) return;
    const started = startWriting({
      host: host.current,
      content: latest.current.content,
      label: 'Content',
      onChange: text => latest.current.onChange(text),
      onFiles: files => latest.current.onFiles(files, started.mark),
      onHelp: () => setHelpOpen(true),
    });
    writing.current = started;
    return () => started.destroy();
  }, []);
  const button = ({ format, name, icon: Icon }: (typeof formats)[number]) => (
    <Toolbar.Button
      key={format}
      aria-label={name}
      title={`${name} (${keysOf(format)})`}
      onClick={() => writing.current?.format(format)}
    >
      <Icon aria-hidden="true" />
    </Toolbar.Button>
  );
  return (
    <div className="writing">
      <Toolbar.Root className="toolbar" aria-label="Formatting">
        {formats.slice(0, 3).map(button)}
        <Toolbar.Button
          aria-label="Insert image or video"
          title="Insert image or video"
          onClick={() => chooser.current?.click()}
        >
          <ImagePlus aria-hidden="true" />
        </Toolbar.Button>
        {formats.slice(3).map(button)}
        <Toolbar.Button
          className="last"
          aria-label="Writing help"
          title={`Writing help (${withModifier('/')})`}
          onClick={() => setHelpOpen(true)}
        >
          <CircleQuestionMark aria-hidden="true" />
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
      <div ref={host} className="text-surface" />
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}
