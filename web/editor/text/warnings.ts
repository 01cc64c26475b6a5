import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { ViewPlugin } from '@codemirror/view';
import { referencesWithoutNote } from './footnotes.ts';
import { softLines } from './soft-lines.ts';

/** How long typing must pause before the text is checked, in milliseconds. */
const restMs = 800;

export type Warnings = {
  /** Whether lines would run together in an essay. */
  hasSoftLines: boolean;
  /** References to footnotes, as they are written. */
  withoutNote: readonly string[];
};

export const noWarnings: Warnings = { hasSoftLines: false, withoutNote: [] };

/**
 * Reports when typing rests what readers would not see as it is meant, if that has changed. The tree is the
 * one that colours the text: parsing a long essay again delayed its author's keys by a third of a second on
 * a slow computer.
 */
export function watchWarnings(report: (warnings: Warnings) => void): Extension {
  return ViewPlugin.define(view => {
    let timer: ReturnType<typeof setTimeout>;
    let reported = '';
    const check = () => {
      const { doc } = view.state;
      const tree = syntaxTree(view.state);
      const warnings: Warnings = {
        hasSoftLines: softLines(doc, tree).length > 0,
        withoutNote: referencesWithoutNote(doc.toString(), tree),
      };
      const text = JSON.stringify(warnings);
      if (text !== reported) report(warnings);
      reported = text;
    };
    const schedule = () => {
      clearTimeout(timer);
      timer = setTimeout(check, restMs);
    };
    schedule();
    return {
      update: ({ docChanged, startState, state }) => {
        // The end of a long text is parsed later.
        if (docChanged || syntaxTree(startState) !== syntaxTree(state)) schedule();
      },
      destroy: () => clearTimeout(timer),
    };
  });
}
