import { Fragment } from 'react';
import { brokenWords } from '../../contract/long-words.ts';

/** A text whose long words can be broken, also at places that copying leaves out. */
export function BreakableText({ text }: { text: string }) {
  return brokenWords(text).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have an order and no other identity
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
