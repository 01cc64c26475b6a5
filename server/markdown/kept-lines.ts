import type { ElementContent } from 'hast';
import type { Text } from 'mdast';
import type { Options } from 'remark-rehype';
import { h } from './elements.ts';

/** Keeps the lines of paragraphs, with a line break between them. */
export const keptLines: NonNullable<Options['handlers']> = {
  text: (state, node: Text) =>
    node.value.split(/[ \t]*\n[ \t]*/).flatMap((line, index): ElementContent[] => {
      const text: ElementContent = { type: 'text', value: index === 0 ? line : `\n${line}` };
      state.patch(node, text);
      return index === 0 ? [text] : [h('br'), text];
    }),
};
