/**
 * Matches every start tag of HTML from `render.ts`, which quotes each attribute and escapes each `<` in a
 * text. Look for a kind of element among these matches: `/<img/` would also find the text of an attribute, in
 * which a `<` is not escaped.
 */
export const startTags = /<[a-z][\w-]*(?: [\w:-]+(?:="[^"]*")?)*>/g;

const attribute = / ([\w:-]+)="([^"]*)"/g;

/** The attributes of such a tag, with their values as they are written there. */
export function attributesOf(tag: string): Partial<Record<string, string>> {
  return Object.fromEntries([...tag.matchAll(attribute)].map(([, name = '', value = '']) => [name, value]));
}

/** Rendered HTML in which `change` has replaced each start tag. Text between the tags stays unchanged. */
export function changeStartTags(html: string, change: (tag: string) => string): string {
  return html.replaceAll(startTags, tag => change(tag));
}
