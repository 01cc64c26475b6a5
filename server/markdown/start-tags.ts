/**
 * The start tags of HTML as `render.ts` writes it: every attribute in double quotes, every `<` of a text
 * escaped. An attribute may contain a `<`, so a pattern that looks for one element alone would find "tags"
 * within attributes.
 */
export const startTags = /<[a-z][\w-]*(?: [\w:-]+(?:="[^"]*")?)*>/g;

/** Rendered HTML in which `change` has replaced each start tag. Text between the tags stays as it is. */
export function changeStartTags(html: string, change: (tag: string) => string): string {
  return html.replaceAll(startTags, tag => change(tag));
}
