/**
 * The language of a text in rendered HTML, where it differs from the page's (server/markdown/language.ts);
 * undefined otherwise. The start of the HTML is enough: its first block carries the attribute.
 */
export function languageOfHtml(html: string): string | undefined {
  return /^<\w+(?: [\w-]+="[^"]*")*? lang="([\w-]+)"/.exec(html)?.[1];
}
