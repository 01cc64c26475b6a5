/**
 * The language that rendered HTML says of its first block, where the text is in another one than the page
 * (server/markdown/language.ts); undefined otherwise. The start of the HTML is enough.
 */
export function languageOfHtml(html: string): string | undefined {
  return /^<\w+(?: [\w-]+="[^"]*")*? lang="([\w-]+)"/.exec(html)?.[1];
}
