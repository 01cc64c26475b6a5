import { Dialog } from '../../ui/dialog.tsx';
import '../../styles/editor-help.css';
import { formats, shortcutOf, withModifier } from './formats.ts';

type Meaning = readonly [what: string, text: string];

const shortcuts: readonly Meaning[] = [
  ...formats.map(({ name, key }) => [name, shortcutOf(key)] as const),
  ['Save, and go on writing', withModifier('S')],
  ['Undo', withModifier('Z')],
  ['Redo', withModifier('Shift+Z')],
  ['Indent in a list', 'Tab'],
  ['Next field', 'Escape, then Tab'],
  ['Show this help', withModifier('/')],
];

const markdown: readonly Meaning[] = [
  ['Heading', '## Heading'],
  ['Numbered list', '1. first'],
  ['To do', '- [ ] to do'],
  ['Table', '| a | b |\n| - | - |\n| 1 | 2 |'],
  ['Code block', '```js\ncode\n```'],
  ['Picture with a caption', '![what is on it](address "Caption")'],
  ['Footnote', 'Word[^1]\n\n[^1]: Note.'],
  ['Strikethrough', '~~gone~~'],
  ['Line', '---'],
];

/** The help: shortcuts, and the Markdown for which the toolbar has no button. */
export function Help({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog title="Writing help" isOpen={isOpen} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reached by keyboard */}
      <div className="help" tabIndex={0}>
        <section className="shortcuts">
          <h3>Shortcuts</h3>
          <Meanings rows={shortcuts} as="kbd" />
        </section>
        <section>
          <h3>Markdown</h3>
          <Meanings rows={markdown} as="code" />
          <p className="hint">
            In a short post, one Enter starts a new line. In an essay, an empty line starts a new paragraph,
            and a backslash at the end of a line keeps its end.
          </p>
          <p className="hint">
            Drop or paste pictures and videos into the text. Paste a link over selected text to link it.
          </p>
        </section>
      </div>
      <div className="acts">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

type MeaningsProps = { rows: readonly Meaning[]; as: 'kbd' | 'code' };

function Meanings({ rows, as: As }: MeaningsProps) {
  return (
    <dl>
      {rows.map(([what, text]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            <As>{text}</As>
          </dd>
        </div>
      ))}
    </dl>
  );
}
