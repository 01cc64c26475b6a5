import { basename } from 'node:path/posix';
import { isPlayedAt } from '../../../markdown/players.ts';
import { keyOf } from '../authors.ts';
import { outsideCode } from './outside-code.ts';

/** The files of a folder as wiki links refer to them: by name, whatever their folder. */
export class Vault {
  /** Whether it is an Obsidian vault, whose texts have more syntax of their own. */
  readonly isObsidian: boolean;
  readonly #byName = new Map<string, string>();

  constructor(paths: readonly string[], isObsidian: boolean) {
    this.isObsidian = isObsidian;
    // The shortest path wins, as in Obsidian.
    for (const path of paths.toSorted((a, b) => b.length - a.length)) {
      for (const name of [path, basename(path)]) {
        this.#byName.set(keyOf(name), path);
        this.#byName.set(keyOf(name.replace(/\.md$/i, '')), path);
      }
    }
  }

  /** The path of the file that a link refers to. */
  find(name: string): string | undefined {
    return this.#byName.get(keyOf(name.replace(/^\//, '')));
  }
}

const wikiLink = /(!?)\[\[([^[\]\n|#^]*)(?:[#^]([^[\]\n|]*))?(?:\|([^[\]\n]*))?\]\]/g;
const callout = /^((?:[ \t]*>)+)[ \t]*\[!([\w-]+)\][-+]?[ \t]*(.*)$/gm;

/**
 * Plain Markdown for Obsidian's extensions: links and embeds by name, callouts, and in its own vaults
 * highlights, block ids, and comments, which only their author sees.
 */
export function withoutWikiSigns(content: string, vault: Vault): string {
  if (!vault.isObsidian && !content.includes('[[') && !content.includes('[!')) return content;
  const shown = vault.isObsidian ? withoutComments(content) : content;
  return outsideCode(shown, words => {
    const linked = words
      .replaceAll(
        wikiLink,
        (whole, sign: string, name: string, part: string | undefined, label: string | undefined) =>
          linkFor({ whole, isEmbed: sign === '!', name, part, label }, vault),
      )
      .replaceAll(callout, (_, quote: string, kind: string, title: string) => {
        const written = title.trim() || kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
        return `${quote} **${written}**\n${quote}`;
      });
    if (!vault.isObsidian) return linked;
    return linked
      .replaceAll(/==(?=\S)([^=\n]+?)(?<=\S)==/g, '<mark>$1</mark>')
      .replaceAll(/(?<![ \t])[ \t]+\^[\w-]+[ \t]*$/gm, '');
  });
}

const withoutComments = (content: string) =>
  outsideCode(content, words => words.replaceAll(/%%[\s\S]*?%%/g, ''));

type WikiLink = {
  whole: string;
  isEmbed: boolean;
  name: string;
  part: string | undefined;
  label: string | undefined;
};

function linkFor({ whole, isEmbed, name, part, label }: WikiLink, vault: Vault): string {
  // A heading of the same text.
  if (name.trim() === '') return vault.isObsidian ? (label ?? part ?? '') : whole;
  const path = vault.find(name);
  if (path === undefined && !vault.isObsidian) return whole;
  const isNote = path === undefined ? !/\.\w{2,4}$/.test(name.trim()) : /\.md$/i.test(path);
  const words = label ?? (basename(name.trim()).replace(/\.md$/i, '') || name);
  if (path === undefined && !(isEmbed && !isNote)) return words;
  const address = encodeURI(`/${path ?? name.trim()}`).replaceAll(
    /[()?#]/g,
    sign => `%${sign.charCodeAt(0).toString(16)}`,
  );
  if (isNote || !isEmbed) return `[${words}](${address})`;
  // A number after a picture is its width.
  const alt = label === undefined || /^\d+(?:x\d+)?$/.test(label) ? '' : label;
  if (/\.pdf$/i.test(address)) return `[${words}](${address})`;
  return `![${isPlayedAt(address) ? words : alt}](${address})`;
}
