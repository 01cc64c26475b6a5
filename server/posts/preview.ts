import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { PreviewPicture } from '../../contract/post.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { attributesOf, startTags } from '../markdown/start-tags.ts';

/** More than the start tag of a picture, with its sizes and placeholder. */
const tagCharacters = 4_000;
/** Characters that a person reads in a minute: 200 words. */
const charactersAMinute = 1_200;

/** The part of an essay's text that a preview needs, without reading all of it. */
export function previewColumns(db: Kysely<Tables>) {
  const { positionIn } = dialectOf(db);
  return (eb: ExpressionBuilder<Tables, 'posts'>) => {
    const isEssay = eb('posts.type', '=', 'essay');
    const html = sql.ref<string>('posts.html');
    const chosen = sql<string>`' src="' || posts.card_picture || '"'`;
    // A tag's sizes and placeholder come before its address.
    const at = sql<number>`case
      when posts.card_picture = 'none' then 0
      when ${positionIn(html, chosen)} > ${tagCharacters} then ${positionIn(html, chosen)} - ${tagCharacters}
      when ${positionIn(html, chosen)} > 0 then 1
      else ${positionIn(html, '<img ')} end`;
    const part = sql<string>`substr(${html}, ${at}, ${2 * tagCharacters})`;
    return [
      eb
        .case()
        .when(isEssay.and(sql<boolean>`${at} > 0`))
        .then(part)
        .end()
        .as('pictures'),
      'posts.card_picture',
      eb
        .case()
        .when(isEssay)
        .then(eb.fn<number>('length', ['posts.text']))
        .end()
        .as('characters'),
    ] as const;
  };
}

/** The part of an essay's preview other than its words; `chosen` is its `card_picture`. */
export function previewOf(html: string | null, characters: number | null, chosen: string | null) {
  return {
    picture: chosen === 'none' ? null : pictureIn(html ?? '', chosen),
    minutes: Math.max(1, Math.round((characters ?? 0) / charactersAMinute)),
  };
}

/** The chosen picture of a text, or the first one, if its size is known, so that space can be reserved. */
function pictureIn(html: string, chosen: string | null): PreviewPicture | null {
  const begun = html.slice(Math.max(0, html.indexOf('<img ')));
  const tags = [...begun.matchAll(startTags)].filter(([tag]) => tag.startsWith('<img '));
  const found = chosen === null ? undefined : tags.find(([tag]) => tag.includes(` src="${chosen}"`));
  const [first] = tags;
  // A match inside an attribute is not a picture.
  if (found === undefined && first?.index !== 0) return null;
  return describePicture((found ?? first)?.[0] ?? '');
}

function describePicture(tag: string): PreviewPicture | null {
  const { src, srcset, width, height } = attributesOf(tag);
  if (src === undefined || !(Number(width) > 0) || !(Number(height) > 0)) return null;
  const plain = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&#x26;', '&').replaceAll('&amp;', '&');
  return {
    src: plain(src),
    sources: srcset === undefined ? null : plain(srcset),
    width: Number(width),
    height: Number(height),
  };
}
