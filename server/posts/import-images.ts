import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Nodes } from 'mdast';
import { fileIdAt } from '../files/address.ts';
import { inlineTypes, svgType, typeOfBytes } from '../files/type.ts';
import { digestOf } from '../files/write.ts';
import { parseMarkdown } from './import-text.ts';

/** Where images are looked for, and how many bytes one may have. */
type Search = { root: string; source: string; maxBytes: number };

/** Where an image's address stands in a text: offsets of the characters to replace. */
type Reference = { address: string; start: number; end: number };

export type LocalImage = { references: Reference[]; name: string; bytes: Buffer; digest: string };

/**
 * The images of a text that lie in the imported folder, each once, and a note for each that was not found. Relative
 * addresses are relative to the file; those that start with a slash are relative to the folder, or to the one that
 * site generators copy from.
 */
export async function findLocalImages(
  content: string,
  search: Search,
): Promise<{ images: LocalImage[]; notes: string[] }> {
  // Parsing takes its time, and most texts show nothing.
  if (!/!\[|<ima?ge?\b/i.test(content)) return { images: [], notes: [] };
  const byDigest = new Map<string, LocalImage>();
  const notes = new Set<string>();
  for (const reference of referencesIn(parseMarkdown(content), content).filter(({ address }) =>
    isLocal(address),
  )) {
    const found = await findImage(search, reference.address);
    if (typeof found === 'string') {
      notes.add(`image ${reference.address} ${found}`);
      continue;
    }
    const digest = digestOf(found.bytes);
    const known = byDigest.get(digest);
    if (known) known.references.push(reference);
    else byDigest.set(digest, { references: [reference], digest, ...found });
  }
  return { images: [...byDigest.values()], notes: [...notes] };
}

/** The text with the addresses of stored images in place of those of files. */
export function withAddresses(
  content: string,
  images: readonly { references: Reference[]; url: string }[],
): string {
  const replacements = images
    .flatMap(({ references, url }) => references.map(({ start, end }) => ({ start, end, url })))
    .sort((a, b) => b.start - a.start);
  let text = content;
  // From the end, so that the offsets before stay right.
  for (const { start, end, url } of replacements) text = text.slice(0, start) + url + text.slice(end);
  return text;
}

function isLocal(address: string): boolean {
  return address !== '' && fileIdAt(address) === undefined && !/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(address);
}

function referencesIn(node: Nodes, content: string): Reference[] {
  const start = node.position?.start.offset ?? 0;
  const source = content.slice(start, node.position?.end.offset ?? 0);
  switch (node.type) {
    case 'image':
      return addressIn(
        source,
        start,
        node.url,
        /\]\(\s*(<[^<>\n]*>|[^\s<]\S*?)(?:\s+(?:"[\s\S]*"|'[\s\S]*'|\([\s\S]*\)))?\s*\)$/d,
      );
    case 'definition':
      return addressIn(source, start, node.url, /\]:\s*(<[^<>\n]*>|\S+)/d);
    case 'html':
      return [
        ...source.matchAll(/<(?:img|image)\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>{]+))/dgi),
      ].flatMap(
        match =>
          match.indices
            ?.slice(1)
            .flatMap((range, group) => (range ? at(match[group + 1] ?? '', start, range) : [])) ?? [],
      );
    default:
      return 'children' in node ? node.children.flatMap(child => referencesIn(child, content)) : [];
  }
}

const at = (address: string, start: number, [from, to]: [number, number]): Reference => ({
  address,
  start: start + from,
  end: start + to,
});

/** Brackets may stand in an alternative text as well, so every place is tried until one holds the parsed address. */
function addressIn(source: string, start: number, url: string, pattern: RegExp): Reference[] {
  for (
    let from = source.lastIndexOf(']');
    from >= 0;
    from = from === 0 ? -1 : source.lastIndexOf(']', from - 1)
  ) {
    const match = pattern.exec(source.slice(from));
    const range = match?.indices?.[1];
    if (match?.index !== 0 || range === undefined) continue;
    const written = (match[1] ?? '').replace(/^<(.*)>$/, '$1');
    const isSame = written.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1') === url || written.includes('&');
    if (isSame) return [at(url, start + from, range)];
  }
  return [];
}

async function findImage(
  { root, source, maxBytes }: Search,
  address: string,
): Promise<{ name: string; bytes: Buffer } | string> {
  const path = decoded(address.replace(/[?#].*$/s, ''));
  const candidates = path.startsWith('/')
    ? ['', 'static', 'public'].map(folder => join(root, folder, path))
    : [join(root, dirname(source), path)];
  for (const candidate of candidates) {
    // The real place counts: neither `..` nor a symbolic link leads out of the folder.
    const real = await realpath(candidate).catch(() => undefined);
    if (real === undefined) continue;
    const within = relative(root, real);
    if (within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within))
      return 'lies outside of the folder';
    const { size, isFile } = await stat(real).then(found => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) continue;
    if (size > maxBytes) return `is larger than ${maxBytes / 1024 / 1024} MiB`;
    const bytes = await readFile(real);
    const type = typeOfBytes(bytes);
    if (!inlineTypes.has(type) && type !== svgType) return 'is not a picture that browsers show';
    return { name: basename(real), bytes };
  }
  return 'was not found';
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
