import type { Processor } from 'unified';

/** What an address has that GFM makes a link by itself, or what may stand for one of its letters. */
const addressSigns = /@|www|http|&/i;

/** Whether GFM may find an address in a text that becomes a link by itself. */
export const mayHoldBareAddress = (markdown: string): boolean => addressSigns.test(markdown);

/**
 * Takes from GFM the search for addresses that become links by themselves, which tries each letter of a text:
 * a seventh of the time of a rendering. Comes after remarkGfm, for texts without such an address.
 */
export function remarkNoBareAddresses(this: Processor): void {
  const data = this.data();
  data.micromarkExtensions = (data.micromarkExtensions ?? []).map(extension => ({
    ...extension,
    text: Object.fromEntries(
      Object.entries(extension.text ?? {}).map(([code, constructs]) => [
        code,
        [constructs].flat().flatMap(one => (one === undefined || one.name?.endsWith('Autolink') ? [] : one)),
      ]),
    ),
  }));
  data.fromMarkdownExtensions = (data.fromMarkdownExtensions ?? [])
    .flat()
    .filter(extension => !('literalAutolink' in (extension.enter ?? {})));
}
