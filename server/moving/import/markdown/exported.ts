import { basename, dirname, join } from 'node:path/posix';
import { z } from 'zod';
import { AppError } from '../../../../contract/errors.ts';
import { ShownIn } from '../../../../contract/post-input.ts';
import { Id } from '../../../../contract/values.ts';
import { inBounds } from '../../../markdown/bounds.ts';
import type { DraftPost } from '../draft.ts';
import type { FileTree } from '../media/tree.ts';
import { authorIn, splitFrontMatter } from './front-matter.ts';

/**
 * The fields that `coterie export --markdown` writes under `coterie` in the front matter, besides those of
 * every site generator. Dates are ISO 8601. Names of files are those in the post's folder.
 */
export const ExportedPost = z.object({
  id: Id,
  type: z.enum(['short', 'essay']),
  /**
   * Whether the post is published; if it is missing, `draft` decides. A restricted post is a draft for site
   * generators only.
   */
  state: z.enum(['draft', 'published']).optional(),
  /** Left out for the timeline. */
  shownIn: ShownIn.optional(),
  /** The picture beside its preview: a file, or `none`; left out for the first one. */
  cardPicture: z.string().optional(),
  isPinned: z.stringbool().optional(),
  commentsClosed: z.stringbool().optional(),
  mailsBeginning: z.stringbool().optional(),
  /** The address of the site that wrote it: its tags differ from tags of the same names elsewhere. */
  site: z.string().optional(),
  /** Those of its tags that not every visitor had there. */
  audience: z.array(z.string()).optional(),
  created: z.string(),
  edited: z.string().optional(),
  /** Each file of the post with its owner's name for it. */
  files: z.record(z.string(), z.string()).default({}),
  attachments: z
    .array(
      z.object({
        file: z.string(),
        description: z.string().optional(),
        alt: z.string().optional(),
        thumbnail: z.string().optional(),
      }),
    )
    .default([]),
  comments: z
    .array(
      z.object({
        id: Id,
        name: z.string().optional(),
        date: z.string(),
        text: z.string(),
        answers: Id.optional(),
        /** Why an admin has hidden it. */
        hidden: z.string().optional(),
      }),
    )
    .default([]),
});
export type ExportedPost = z.output<typeof ExportedPost>;

const Words = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  date: z.string(),
  draft: z.string().optional(),
  author: z.string().optional(),
  tags: z.array(z.string()).default([]),
});

/**
 * A post as `coterie export --markdown` wrote it, word for word; undefined for any other text. Throws
 * invalid-argument if such a post can no longer be read.
 */
export function readExported(tree: FileTree, source: string, text: string): DraftPost | undefined {
  // Most texts are not exported ones, and parsing takes time.
  if (!/coterie/i.test(text)) return undefined;
  const { fields, content } = inBounds(text, () => splitFrontMatter(text));
  if (!fields.has('coterie')) return undefined;
  const own = ExportedPost.safeParse(fields.get('coterie'));
  const words = Words.safeParse(Object.fromEntries(fields));
  if (!own.success || !words.success) {
    const [issue] = (own.error ?? words.error)?.issues ?? [];
    throw new AppError(
      'invalid-argument',
      `its front matter is not as it was exported: ${issue?.path.join('.')}`,
    );
  }
  const { id, type, state, site, edited, files, attachments, comments } = own.data;
  const { shownIn, cardPicture, isPinned, commentsClosed, mailsBeginning } = own.data;
  const { title, description, date, draft, tags, author } = words.data;
  // Earlier versions did not record them: then all tags of a restricted post count.
  const audience = own.data.audience ?? (draft === 'true' ? tags : []);
  const names = new Map(Object.entries(files));
  return {
    kind: 'post',
    id: source,
    keepId: id,
    type,
    shownIn,
    cardPicture,
    isPinned,
    commentsClosed,
    mailsBeginning,
    title,
    fallbackTitle: title ?? id,
    description,
    content: content.replace(/\n$/, ''),
    isDraft: state === undefined ? draft === 'true' : state === 'draft',
    date: momentOf(date),
    editedAt: edited === undefined ? undefined : momentOf(edited),
    tags: tags.filter(tag => !audience.includes(tag)),
    audience,
    audienceOf: site,
    author: authorIn(author),
    comments: comments.map(comment => ({
      id: comment.id,
      keepId: comment.id,
      authorName: comment.name,
      content: comment.text,
      time: momentOf(comment.date),
      answers: comment.answers,
      hidden: comment.hidden,
    })),
    likes: [],
    attachments: attachments.map(({ file, ...attachment }) => ({ address: file, ...attachment })),
    isOwnAddress: address => names.has(withoutFragment(address)),
    findFile: async written => {
      const address = withoutFragment(written);
      const path = join(dirname(source), address);
      const found = address === basename(address) ? await tree.find(path) : undefined;
      if (found !== undefined) return { ...found, name: names.get(address) ?? address };
      const isOutside = address !== basename(address) || (await tree.isOutside(path));
      return { problem: isOutside ? 'lies outside of the folder' : 'was not found' };
    },
    addresses: [],
    notes: [],
  };
}

const withoutFragment = (address: string) => address.replace(/#.*$/s, '');

function momentOf(text: string): number {
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new AppError('invalid-argument', `the date "${text}" was not understood`);
  return moment;
}
