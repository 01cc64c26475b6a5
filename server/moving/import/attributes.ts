/**
 * The attributes of a shortcode by their names in lower case; unnamed ones by position: `0`, `1` ...
 * `attribute` has groups for the name and for the forms of a value.
 */
export function attributesOf(written: string, attribute: RegExp): Record<string, string> {
  const attributes: Record<string, string> = {};
  let position = 0;
  for (const [, name, ...forms] of written.matchAll(attribute)) {
    attributes[name?.toLowerCase() ?? String(position++)] = forms.find(form => form !== undefined) ?? '';
  }
  return attributes;
}
