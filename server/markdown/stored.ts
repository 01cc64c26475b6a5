import { boundShaping } from './shaping.ts';

/** A heading's link to itself as it was rendered while it had a name, which became part of the heading's. */
const namedAnchor = /<a class="anchor" href="([^"]*)" aria-label="[^"]*">/g;

/** Stored HTML as pages show it: a text keeps what it was rendered to until it is saved again. */
export const shownHtml = (html: string): string =>
  boundShaping(html).replaceAll(namedAnchor, '<a class="anchor" href="$1" aria-hidden="true" tabindex="-1">');
