/** The page of an embedded frame's content, by the address of the frame. */
const players: readonly (readonly [RegExp, (id: string) => string])[] = [
  [
    /^(?:www\.)?youtube(?:-nocookie)?\.com\/(?:embed|v)\/([\w-]+)/,
    id => `https://www.youtube.com/watch?v=${id}`,
  ],
  [/^player\.vimeo\.com\/video\/(\d+)/, id => `https://vimeo.com/${id}`],
  [/^(?:www\.)?dailymotion\.com\/embed\/video\/(\w+)/, id => `https://www.dailymotion.com/video/${id}`],
  [/^open\.spotify\.com\/embed\/([\w/]+)/, id => `https://open.spotify.com/${id}`],
];

/** The address to link to for a frame; undefined if a reader could not open it. */
export function embeddedAddress(src: string): string | undefined {
  const address = src.startsWith('//') ? `https:${src}` : src;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  for (const [pattern, addressOf] of players) {
    const id = pattern.exec(url.host + url.pathname)?.[1];
    if (id !== undefined) return addressOf(id);
  }
  return url.href;
}
