import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { PreviewPicture } from '../../contract/posts.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';

/** More than the start tag of a picture has, with its sizes and what to show until it has loaded. */
const tagCharacters = 4_000;
/** Characters that a reader reads in a minute: 200 words. */
const charactersAMinute = 1_200;

/** What a preview shows of an essay's text, without reading all of it. */
export function previewColumns(db: Kysely<Tables>) {
  const { positionIn } = dialectOf(db);
  return (eb: ExpressionBuilder<Tables, 'posts'>) => {
    const isEssay = eb('posts.type', '=', 'essay');
    const html = sql.ref<string>('posts.html');
    const at = positionIn(html, '<img ');
    const tag = sql<string>`substr(${html}, ${at}, ${tagCharacters})`;
    return [
      eb
        .case()
        .when(isEssay.and(sql<boolean>`${at} > 0`))
        .then(tag)
        .end()
        .as('first_picture'),
      eb
        .case()
        .when(isEssay)
        .then(eb.fn<number>('length', ['posts.text']))
        .end()
        .as('characters'),
    ] as const;
  };
}

/** What a preview shows of an essay beside its words. */
export function previewOf(html: string | null, characters: number | null) {
  return {
    picture: firstPicture(html ?? ''),
    minutes: Math.max(1, Math.round((characters ?? 0) / charactersAMinute)),
  };
}

/** An element as `render.ts` writes it. What stands within an attribute has no quotes of its own. */
const picture = /<img((?: [\w:-]+(?:="[^"]*")?)*)>/;
const attribute = / ([\w:-]+)="([^"]*)"/g;

/** The first picture of a text whose size is known, so that its place can be kept. */
function firstPicture(html: string): PreviewPicture | null {
  const start = html.indexOf('<img ');
  const found = start === -1 ? null : picture.exec(html.slice(start, start + tagCharacters));
  if (found?.index !== 0) return null;
  const { src, srcset, width, height } = Object.fromEntries(
    [...(found[1] ?? '').matchAll(attribute)].map(([, name = '', value = '']) => [name, value]),
  );
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
