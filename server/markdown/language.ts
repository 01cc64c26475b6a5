import { francAll } from 'franc-min';
import type { ElementContent, Root, RootContent } from 'hast';
import { plainText } from './text.ts';

/** The language of the pages around a text. */
const ofPages = 'en';
/**
 * English is recognised by its commonest words: guessing takes a sixth of the time of a rendering. Of all
 * texts of the declaration of human rights in other languages only Scots has as many of them in a sample, and
 * half a sample of English beside another language never has.
 */
const commonest = /\b(?:the|and|that|with|this|from|which|were|their|they)\b/gi;
const enough = { ofText: 10, ofBlock: 2 };
/**
 * A shorter text is not enough to tell. Of a longer one the start is enough: the longer the sample, the less
 * the scores of two languages differ. A shorter block has the language of its text: headings full of names
 * were taken for French.
 */
const characters = { least: 50, most: 500, leastOfBlock: 100, mostOfBlock: 200 };
/**
 * How much better than the next one a language must score: more, where the text has another one, and for few
 * letters, of which Russian ones were taken for Bulgarian.
 */
const lead = { ofText: 0.05, ofBlock: 0.1, ofFew: 0.3 };
/** Pashto, Malay and Saraiki in Arabic letters, for which a few Arabic words were taken. */
const rare = ['pbu', 'zlm', 'skr'];
/**
 * A block that has so many of its groups of three letters in common with the start of the text is in the same
 * language, without a guess. In the declaration of human rights four of five paragraphs are, of other
 * languages one of eighty.
 */
const leastShared = 0.35;

/** The language of a text as a BCP 47 tag, if it differs from the page's and is clear enough. */
export function foreignLanguageOf(text: string): string | undefined {
  return foreign(languageOf(text));
}

/**
 * The language of words beside a text, such as its title, if it differs from the page's: what their letters
 * say, otherwise that of the text.
 */
export function languageBeside(words: string, ofText: string | undefined): string | undefined {
  return foreign(languageByLetters(words.slice(0, characters.most), scriptOf(ofText ?? ofPages)));
}

const foreign = (lang: string | undefined) => (lang === ofPages ? undefined : lang);

function languageOf(text: string): string | undefined {
  const sample = text.slice(0, characters.most);
  if (count(sample, commonest) >= enough.ofText) return ofPages;
  if (!isForeign(sample) && count(sample, /\p{L}/gu) < characters.least) return undefined;
  return guess(sample, lead.ofText);
}

type Around = { lang: string; isLatin: boolean };

const scriptOf = (lang: string): Around => ({ lang, isLatin: isLatin(lang) });

const usualScriptOf = (lang: string) => new Intl.Locale(lang).maximize().script ?? '';
/** Whether a language is written in Latin letters. */
const isLatin = (lang: string) => usualScriptOf(lang) === 'Latn';
const directionOf = (lang: string) => (/^(?:Arab|Hebr)$/.test(usualScriptOf(lang)) ? 'rtl' : 'ltr');

function languageByLetters(sample: string, around: Around): string {
  if (isForeign(sample))
    return guess(sample, lead.ofBlock, around.lang) ?? (around.isLatin ? ofPages : around.lang);
  // Latin letters alone, such as a name, are not in the language of a text in another script.
  const isOther = !around.isLatin && /\p{L}/u.test(sample) && !/[^\P{L}\p{sc=Latin}]/u.test(sample);
  return isOther ? ofPages : around.lang;
}

/** `ofText`, the language of the text around a block or title, is that of few letters in its script. */
function guess(sample: string, usualLead: number, ofText?: string): string | undefined {
  // The one language with a script of its own that the guesser does not know.
  if (count(sample, /\p{sc=Hebrew}/gu) * 3 > sample.length) return 'he';
  const areFew = sample.length < characters.least;
  const candidates = francAll(sample, { minLength: 1, ...(areFew && { ignore: rare }) });
  const [best, next] = candidates;
  if (areFew && candidates.some(([code]) => tagOf(code) === ofText)) return ofText;
  const least = areFew ? lead.ofFew : usualLead;
  if (best === undefined || best[0] === 'und' || (next !== undefined && best[1] - next[1] < least))
    return undefined;
  const lang = tagOf(best[0]);
  return isForeign(sample) || isLatin(lang) ? lang : `${lang}-Latn`;
}

const tagOf = (code: string) => Intl.getCanonicalLocales(code)[0] ?? ofPages;

/** Whether a text is in another script than the Latin one, with enough letters to tell its language. */
function isForeign(sample: string): boolean {
  if (!/(?:[^\P{L}\p{sc=Latin}]\P{L}*){8}/u.test(sample)) return false;
  return count(sample, /\p{sc=Latin}/gu) * 3 < sample.length;
}

const count = (text: string, parts: RegExp) => text.match(parts)?.length ?? 0;

/**
 * Marks the languages of the blocks of a text that differ from the page's, so that screen readers pronounce,
 * and browsers hyphenate and translate them correctly. A quotation has the language of the text, and each of
 * its blocks its own: the first tag says what language the text has, unless it is a paragraph in another one.
 * A block that runs the other way than the text says so, too: feeds and mails have no style for it.
 */
export function markLanguages(tree: Root, text: string): void {
  const around = scriptOf(languageOf(text) ?? ofPages);
  const start = text.slice(0, characters.most);
  const startThrees = new Set(threesOf(start, 1));
  let passed = 0;
  const languageOfBlock = (words: string) => {
    const sample = words.slice(0, characters.mostOfBlock);
    const isInStart = passed < characters.most;
    if (!isInStart) {
      const threes = threesOf(sample, 2);
      if (threes.filter(three => startThrees.has(three)).length > threes.length * leastShared)
        return around.lang;
    }
    if (count(sample, commonest) >= enough.ofBlock) return ofPages;
    const byLetters = languageByLetters(sample, around);
    const isClear = isForeign(sample) || count(sample, /\p{L}/gu) < characters.leastOfBlock;
    // What most of the start is made of has given the text its language.
    if (isClear || (isInStart && words.length * 2 > start.length)) return byLetters;
    return guess(sample, lead.ofBlock) ?? byLetters;
  };
  const mark = (blocks: readonly (RootContent | ElementContent)[], outer: string) => {
    for (const block of blocks) {
      if (block.type !== 'element' || block.tagName === 'pre') continue;
      const isQuotation = block.tagName === 'blockquote';
      const words = isQuotation ? '' : plainText(block);
      const lang = isQuotation ? around.lang : languageOfBlock(words);
      if (lang !== outer) block.properties.lang = lang;
      if (lang !== around.lang && directionOf(lang) !== directionOf(around.lang))
        block.properties.dir = directionOf(lang);
      passed += words.length;
      if (isQuotation) mark(block.children, around.lang);
    }
  };
  mark(tree.children, ofPages);
}

/** Groups of three characters of a text, one at each `step`. */
function threesOf(text: string, step: number): string[] {
  const letters = text.toLowerCase();
  const threes: string[] = [];
  for (let at = 0; at + 3 <= letters.length; at += step) threes.push(letters.slice(at, at + 3));
  return threes;
}
