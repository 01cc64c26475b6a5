import { Toolbar } from '@base-ui/react/toolbar';
import { CircleQuestionMark, ImagePlus } from 'lucide-react';
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { startWriting, type TextHandle, type Writing, type WritingOptions } from './code-mirror.ts';
import type { Format } from './commands.ts';
import { formats, keysOf, withModifier } from './formats.ts';
import { Help } from './help.tsx';

type WritingAreaProps = {
  /** The initial text; later changes come only from the author. Another text needs another React key. */
  content: string;
  onChange(content: string): void;
  /** Called with files for the text, and the function that remembers the place of the cursor. */
  onFiles(files: File[], mark: Writing['mark']): void;
  pictureOfPost: WritingOptions['pictureOfPost'];
  ref: Ref<TextHandle>;
};

/** The text and its toolbar. */
export function WritingArea({ content, onChange, onFiles, pictureOfPost, ref }: WritingAreaProps) {
  const host = useRef<HTMLDivElement>(null);
  const writing = useRef<Writing>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const latest = useRef({ content, onChange, onFiles, pictureOfPost });
  useEffect(() => {
    latest.current = { content, onChange, onFiles, pictureOfPost };
  });
  const insert = useCallback((files: File[]) => {
    if (writing.current !== null) latest.current.onFiles(files, writing.current.mark);
  }, []);
  useImperativeHandle(
    ref,
    () => ({
      focus: () => writing.current?.focus(),
      append: paragraph => writing.current?.append(paragraph),
      take: transfer => writing.current?.take(transfer) ?? false,
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
      pictureOfPost: transfer => latest.current.pictureOfPost(transfer),
      onFiles: files => latest.current.onFiles(files, started.mark),
      onHelp: () => setHelpOpen(true),
    });
    writing.current = started;
    return () => started.destroy();
  }, []);
  return (
    <div className="writing">
      <FormatBar
        onFormat={format => writing.current?.format(format)}
        onInsert={() => chooser.current?.click()}
        onHelp={() => setHelpOpen(true)}
      />
      <FileChooser
        ref={chooser}
        label="Images and videos to insert"
        accept="image/*,video/*"
        onFiles={insert}
      />
      <div ref={host} className="text-surface" />
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

type FormatBarProps = { onFormat(format: Format): void; onInsert(): void; onHelp(): void };

function FormatBar({ onFormat, onInsert, onHelp }: FormatBarProps) {
  const button = ({ format, name, icon: Icon }: (typeof formats)[number]) => (
    <Toolbar.Button
      key={format}
      aria-label={name}
      title={`${name} (${keysOf(format)})`}
      onClick={() => onFormat(format)}
    >
      <Icon aria-hidden="true" />
    </Toolbar.Button>
  );
  return (
    <Toolbar.Root className="toolbar" aria-label="Formatting">
      {formats.slice(0, 3).map(button)}
      <Toolbar.Button aria-label="Insert image or video" title="Insert image or video" onClick={onInsert}>
        <ImagePlus aria-hidden="true" />
      </Toolbar.Button>
      {formats.slice(3).map(button)}
      <Toolbar.Button
        className="last"
        aria-label="Writing help"
        title={`Writing help (${withModifier('/')})`}
        onClick={onHelp}
      >
        <CircleQuestionMark aria-hidden="true" />
      </Toolbar.Button>
    </Toolbar.Root>
  );
}
