/** A picture of this site in a text: the range of its Markdown, and its words. */
export type PictureInText = { from: number; to: number; url: string; alt: string; caption: string };

const picture =
  /!\[((?:\\[\s\S]|[^\]\\])*)\]\((\/files\/[\w-]+(?:\/[\w.]*)?)(?:[ \t]+"((?:\\[\s\S]|[^"\\])*)")?[ \t]*\)/g;

/** The pictures of this site in a text, in order. Without a parser, because it runs after each key. */
export function picturesIn(content: string): PictureInText[] {
  if (!content.includes('](/files/')) return [];
  return [...content.matchAll(picture)].map(
    ({ 0: written, 1: alt = '', 2: url = '', 3: caption = '', index }) => ({
      ...{ from: index, to: index + written.length, url },
      ...{ alt: unescaped(alt), caption: unescaped(caption) },
    }),
  );
}

export function pictureMarkdown({
  url,
  alt,
  caption,
}: Pick<PictureInText, 'url' | 'alt' | 'caption'>): string {
  const words = oneLine(alt).replaceAll(/[[\]\\`*_<&]/g, '\\$&');
  const title = oneLine(caption).replaceAll(/["\\&]/g, '\\$&');
  return title === '' ? `![${words}](${url})` : `![${words}](${url} "${title}")`;
}

const unescaped = (text: string) => text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
const oneLine = (text: string) => text.replaceAll(/[\r\n]+/g, ' ');
