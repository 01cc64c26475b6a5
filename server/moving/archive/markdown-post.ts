import type { Selectable } from 'kysely';
import { stringify } from 'yaml';
import { moment } from '../../../contract/date.ts';
import { mayRead, type TagCatalogue } from '../../access/audience.ts';
import { dayText } from '../../base/calendar.ts';
import type { PostRow, Tables } from '../../db/tables.ts';
import type { ExportedPost } from '../import/markdown/exported.ts';

type File = { id: string; name: string };
type Beside = {
  site: string;
  /** The username of the author's account. */
  author: string | null;
  files: readonly File[];
  /** The name of each file in the folder, by its id. */
  names: ReadonlyMap<string, string>;
  nameAt(address: string): string | undefined;
  attachments: readonly Selectable<Tables['attachments']>[];
  comments: readonly (Selectable<Tables['comments']> & { user_name: string | null })[];
};

/**
 * A post as Markdown with front matter for site generators, and our own fields under `coterie`. A post that
 * not every visitor may read is a draft there: publishing the folder must not make it public
 * (decision 32).
 */
export function markdownOf(
  post: PostRow,
  content: string,
  { site, author, files, names, nameAt, attachments, comments }: Beside,
  catalogue: TagCatalogue,
): string {
  const tagIds = catalogue.tagIdsIn(post.tag_set_id);
  const namesOfTags = (ids: readonly string[]) => ids.flatMap(id => catalogue.tags.get(id)?.name ?? []);
  const isPublished = post.published_at !== null;
  const isThere = new Set<string | null>(comments.map(comment => comment.id));
  const own: ExportedPost = {
    id: post.id,
    type: post.type,
    state: isPublished ? 'published' : 'draft',
    shownIn: post.shown_in === 'timeline' ? undefined : post.shown_in,
    cardPicture: post.card_picture === null ? undefined : (nameAt(post.card_picture) ?? post.card_picture),
    isPinned: Boolean(post.is_pinned) || undefined,
    commentsClosed: Boolean(post.comments_closed) || undefined,
    mailsBeginning: Boolean(post.mails_beginning) || undefined,
    site,
    audience: namesOfTags(tagIds.filter(id => !catalogue.defaultTagIds.has(id))),
    created: moment(post.created_at),
    edited: post.updated_at === null ? undefined : moment(post.updated_at),
    files: Object.fromEntries(files.map(({ id, name }) => [names.get(id) ?? id, name])),
    attachments: attachments.map(({ url, description, alt, thumbnail }) => ({
      file: nameAt(url) ?? url,
      description: description ?? undefined,
      alt: alt ?? undefined,
      thumbnail: thumbnail === null ? undefined : (nameAt(thumbnail) ?? thumbnail),
    })),
    comments: comments.map(comment => ({
      id: comment.id,
      name: comment.user_name ?? comment.author_name ?? undefined,
      date: moment(comment.created_at),
      text: comment.content,
      answers: isThere.has(comment.parent_id) ? (comment.parent_id ?? undefined) : undefined,
      hidden: comment.hidden_reason ?? undefined,
    })),
  };
  const isOpen = mayRead(
    { user: null, role: 'visitor', tagIds: catalogue.defaultTagIds },
    { isPublished, tagIds },
  );
  const fields = {
    title: post.title ?? undefined,
    description: post.description ?? undefined,
    author: author ?? undefined,
    date: moment(post.published_at ?? post.created_at),
    lastmod: own.edited,
    // `draft` is the only field for which every version of every generator omits both the page and its files.
    draft: isOpen ? undefined : true,
    tags: namesOfTags(tagIds),
    coterie: own,
  };
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n${content}\n`;
}

/**
 * A folder name made of the date in the site's time zone and the words of the title, or with which the text
 * begins, different from all in `taken`.
 */
export function folderNameOf(
  { id, title, text, published_at, created_at }: PostRow,
  timeZone: string,
  taken: ReadonlySet<string>,
): string {
  const day = dayText(published_at ?? created_at, timeZone);
  const words = (title ?? text.slice(0, 200))
    .normalize('NFKD')
    // Accents of Latin letters. The marks of other scripts are vowels.
    .replaceAll(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  // File systems allow 255 bytes. Of a letter of two units, which the end may have halved, nothing stays.
  const name = [day, ...(words ?? [])]
    .join('-')
    .slice(0, 60)
    .replace(/[\p{Cs}-]+$/u, '');
  return words === null || taken.has(name) ? `${name}-${id}` : name;
}

/** What programs for sites would make a page of. */
const pageEnding =
  /\.(?:mdx?|mdown|markdown|mmark|mkdn?|mkdown|x?html?|ad|adoc|asciidoc|org|re?st|pandoc|pdc)$/i;

/** Names for the files of one post in its folder: plain, and each once. No program makes a page of one. */
export function namesOf(files: readonly File[]): Map<string, string> {
  const names = new Map<string, string>();
  // File systems that ignore case would confuse names that differ only in case.
  const taken = new Set(['index.md']);
  for (const { id, name } of files) {
    const plain = name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._]+/, '')
      .slice(-80);
    const isPage = /^index\./i.test(plain) || pageEnding.test(plain);
    const own = plain === '' || taken.has(plain.toLowerCase()) || isPage;
    const unique = own ? `${id}-${plain.replace(pageEnding, '.text')}` : plain;
    taken.add(unique.toLowerCase());
    names.set(id, unique);
  }
  return names;
}
