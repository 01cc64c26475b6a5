/** Words that cameras, phones and chat programs use in names of pictures and videos. */
const things = new Set(
  (
    'img image imagen imagem bild foto photo picture pic vid movie clip rec scan unnamed dsc dscn dscf cimg pxl mvi mvimg pano burst ' +
    'gopr gx gh dji sam hpim wp fb received signal telegram snapchat whatsapp screenshot bildschirmfoto rpreplay'
  ).split(' '),
);
/** Words that they add to such a name. */
const additions = new Set(
  'video cover portrait night hdr final edited copy kopie mp um at am pm ms wa'.split(' '),
);
const ending = /\.(?:jpe?g|jpe|png|gif|webp|avif|hei[cf]|tiff?|bmp|dng|mp4|m4v|mov|webm|avi|mkv|3gp)$/i;
/** `P1050034`, `DSC01234`, `20240101`, `WA0001`, `E1`. */
const numbered = /^\p{L}{0,5}\d+\p{L}?$/u;
const screenshot = /^(?:screen ?shot|bildschirmfoto|screen recording|whatsapp (?:image|video))\b.*\d/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Whether a text is a name that a camera, phone or program gave to a picture or video, such as
 * `IMG_4711.HEIC.jpg`: it tells readers nothing, so it is not used as alternative text, title or caption.
 * False for what a person may have written, such as a year.
 */
export function isCameraName(text: string): boolean {
  let base = text.trim();
  while (ending.test(base)) base = base.replace(ending, '');
  const isFile = base !== text.trim();
  const words = base.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return false;
  if (uuid.test(base) || screenshot.test(words.join(' '))) return true;
  const areOwn =
    words.every(word => isOwn(word) || (numbered.test(word) && isPlainNumber(word))) &&
    words.some(word => things.has(word) || /\d{4}/.test(word));
  return areOwn && (isFile || (/\d{3}/.test(base) && !/^\d/.test(base)));
}

const isOwn = (word: string) => things.has(word) || additions.has(word);

/** Whether the letters before a number come from a camera. */
function isPlainNumber(word: string): boolean {
  const letters = /^\p{L}*/u.exec(word)?.[0] ?? '';
  return letters.length <= 1 || isOwn(letters);
}
