/**
 * The start tags of HTML as `render.ts` writes it: every attribute in double quotes, every `<` of a text
 * escaped. An attribute may contain a `<`, so a pattern for a single element would find "tags" inside
 * attributes.
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
