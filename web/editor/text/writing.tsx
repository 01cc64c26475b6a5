import { Toolbar } from '@base-ui/react/toolbar';
import { CircleQuestionMark, ImagePlus } from 'lucide-react';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { CardOffer } from '../links/card-offer.tsx';
import type { PastedLink } from '../links/link-cards.ts';
import { startWriting, type Writing, type WritingOptions } from './code-mirror.ts';
import type { Format } from './commands.ts';
import { formats, shortcutOf, withModifier } from './formats.ts';
import { Help } from './help.tsx';
import { useKeyboard } from './use-keyboard.ts';

export type WritingAreaProps = Pick<
  WritingOptions,
  'onChange' | 'onFiles' | 'pictureOfPost' | 'onWarnings' | 'onShow'
> & {
  /** The initial text; later changes come only from the author. Another text needs another React key. */
  content: string;
  /** Set while the text can be written. */
  writing: RefObject<Writing | null>;
  onChosen(files: File[]): void;
  /** Whether the picture button attaches: a short post shows its pictures below its text. */
  attaches: boolean;
};

/** The text and its toolbar. */
export function WritingArea({ content, writing, onChosen, attaches, ...options }: WritingAreaProps) {
  const [initial] = useState(content);
  const host = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeyboard();
  const [pasted, setPasted] = useState<PastedLink>();
  const change = useEffectEvent(options.onChange);
  const insert = useEffectEvent(options.onFiles);
  const warn = useEffectEvent(options.onWarnings);
  const show = useEffectEvent(options.onShow);
  const findPicture = useEffectEvent(options.pictureOfPost);
  useEffect(() => {
    if (host.current === null) return;
    const started = startWriting({
      host: host.current,
      content: initial,
      onChange: text => change(text),
      onFiles: files => insert(files),
      pictureOfPost: transfer => findPicture(transfer),
      onLink: setPasted,
      onHelp: () => setHelpOpen(true),
      onWarnings: warnings => warn(warnings),
      onShow: () => show(),
    });
    writing.current = started;
    return () => {
      writing.current = null;
      started.destroy();
    };
  }, [initial, writing]);
  return (
    <div className="writing">
      <FormatBar
        insert={attaches ? 'Attach image or video' : 'Insert image or video'}
        onFormat={format => writing.current?.format(format)}
        onInsert={() => chooser.current?.click()}
        onHelp={() => setHelpOpen(true)}
      />
      <FileChooser
        ref={chooser}
        label={attaches ? 'Images and videos to attach' : 'Images and videos to insert'}
        accept="image/*,video/*"
        isMany
        onFiles={onChosen}
      />
      <div ref={host} className="text-surface" />
      {pasted !== undefined && (
        <CardOffer
          key={`${pasted.url} ${pasted.at}`}
          link={pasted}
          writing={writing}
          onDone={() => setPasted(undefined)}
        />
      )}
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

type FormatBarProps = { insert: string; onFormat(format: Format): void; onInsert(): void; onHelp(): void };

function FormatBar({ insert, onFormat, onInsert, onHelp }: FormatBarProps) {
  const button = ({ format, name, key, icon: Icon }: (typeof formats)[number]) => (
    <Toolbar.Button
      key={format}
      aria-label={name}
      title={`${name} (${shortcutOf(key)})`}
      onClick={() => onFormat(format)}
    >
      <Icon aria-hidden="true" />
    </Toolbar.Button>
  );
  return (
    <Toolbar.Root className="toolbar" aria-label="Formatting">
      {formats.slice(0, 3).map(button)}
      <Toolbar.Button aria-label={insert} title={insert} onClick={onInsert}>
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
