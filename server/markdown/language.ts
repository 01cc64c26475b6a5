import { francAll } from 'franc-min';
import type { Root } from 'hast';

/** The language of the pages around a text. */
const ofPages = 'en';
/**
 * English is recognised by its commonest words: guessing takes a sixth of the time of a rendering. Of all
 * texts of the declaration of human rights in other languages only Scots has as many of them in a sample, and
 * half a sample of English beside another language never has.
 */
const commonest = /\b(?:the|and|that|with|this|from|which|were|their|they)\b/gi;
const enough = 10;
/**
 * A shorter text is not enough to tell. Of a longer one the start is enough: the longer the sample, the less
 * the scores of two languages differ.
 */
const characters = { least: 50, most: 500 };
/** How much better than the next one a language must score. */
const lead = 0.05;

/** The language of a text as a BCP 47 tag, if it differs from the page's and is clear enough. */
export function foreignLanguageOf(text: string): string | undefined {
  const lang = languageOf(text);
  return lang === ofPages ? undefined : lang;
}

function languageOf(text: string): string | undefined {
  // Chinese, Japanese and Korean are recognised by their scripts.
  const isTold = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{8}/u.test(text);
  const sample = text.slice(0, characters.most);
  if ((sample.match(commonest)?.length ?? 0) >= enough) return ofPages;
  if (!isTold && sample.replaceAll(/\P{L}/gu, '').length < characters.least) return undefined;
  const [best, next] = francAll(sample, { minLength: 1 });
  if (best === undefined || best[0] === 'und' || (next !== undefined && best[1] - next[1] < lead))
    return undefined;
  return Intl.getCanonicalLocales(best[0])[0];
}

/**
 * Marks the language of the blocks of a text if it differs from the page's, so that screen readers pronounce,
 * and browsers hyphenate and translate it correctly.
 */
export function markLanguage(tree: Root, text: string): void {
  const lang = foreignLanguageOf(text);
  if (lang === undefined) return;
  for (const node of tree.children) {
    if (node.type === 'element' && node.tagName !== 'pre') node.properties.lang = lang;
  }
}
