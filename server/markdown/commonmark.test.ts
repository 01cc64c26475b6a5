import { tests } from 'commonmark-spec';
import { expect, test } from 'vitest';
import { expectedForm, renderedForm } from '../../test/support/comparable.ts';
import { renderMarkdown } from './render.ts';

/**
 * Examples that we deliberately render differently, by reason: docs/decisions/markdown-differences.md says
 * more.
 */
const differences: Record<string, number[]> = {
  'a raw tag whose end is missing is dropped': [
    ...[21, 31, 150, 155, 174, 175, 184, 187, 344, 476, 477, 494, 613, 614, 615, 616, 630, 631, 642, 643],
  ],
  'a raw tag that is not finished is shown as text': [156, 157, 158],
  'raw HTML that interrupts itself by a blank line is closed where it should be': [148],
  'the text of an unfinished or unknown raw element is kept': [171, 173],
  'instructions and CDATA sections are dropped as a whole': [180, 629],
  'the title of a picture that stands alone is its caption': [
    ...[572, 573, 576, 577, 584, 585, 586, 588, 589, 591],
  ],
  'GFM makes a link of a bare address': [602, 606, 608, 611, 612],
};
const reasonOf = new Map(
  Object.entries(differences).flatMap(([reason, all]) => all.map(one => [one, reason])),
);

test('the specification of CommonMark has its 652 examples', () => expect(tests).toHaveLength(652));

test.each(tests)(
  'example $number of CommonMark renders as specified, unless a reason is given: $section',
  ({ number, markdown, html }) => {
    const rendered = renderedForm(renderMarkdown(withTabs(markdown)).html);
    const expected = expectedForm(withTabs(html));
    const reason = reasonOf.get(number);
    if (reason === undefined) expect(rendered).toBe(expected);
    else expect(rendered, `no longer different: ${reason}`).not.toBe(expected);
  },
);

/** The specification shows tabs as arrows. */
const withTabs = (text: string) => text.replaceAll('→', '\t');
