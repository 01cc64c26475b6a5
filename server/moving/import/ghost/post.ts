import { AppError } from '../../../../contract/errors.ts';
import { inBounds } from '../../../markdown/bounds.ts';
import { oldAddress } from '../../../posts/old-addresses.ts';
import { decoded } from '../decoded.ts';
import type { DraftFile, DraftPost } from '../draft.ts';
import { asMarkdown, convertHtml, htmlToLine, htmlToMarkdown } from '../html/to-markdown.ts';
import { htmlToText } from '../html/to-text.ts';
import { type FileTree, findFirst } from '../media/tree.ts';
import { utcTime } from '../utc-time.ts';
import { audienceOf } from './audience.ts';
import { rewriteCard } from './cards.ts';
import { escaped } from './html.ts';
import { lexicalHtml } from './lexical.ts';
import { mobiledocHtml } from './mobiledoc.ts';
import type { GhostSite } from './tables.ts';

type Row = ReadonlyMap<string, string>;

/** A post or page of an export. Throws invalid-argument if its text cannot be read. */
export function readGhostPost(post: Row, site: GhostSite, images: FileTree | undefined): DraftPost {
  const id = post.get('id') ?? '';
  const title = htmlToLine(escaped(post.get('title')));
  const status = post.get('status') ?? 'draft';
  const isDraft = status !== 'published' && status !== 'sent';
  const date = utcTime(post.get('published_at')) ?? utcTime(post.get('created_at'));
  const slug = post.get('slug') ?? '';
  const [author] = site.authorsOf.get(id) ?? [post.get('author_id')];
  const meta = site.metaOf.get(id);
  const { content, words } = textOf(post);
  return {
    kind: 'post',
    id: `posts/${id}`,
    title: title === '(Untitled)' ? undefined : title || undefined,
    fallbackTitle: 'Untitled',
    description: htmlToLine(escaped(post.get('custom_excerpt'))) || undefined,
    content: withPicture(content, post, meta) || asMarkdown(title),
    sourceWords: () => words,
    isDraft,
    date,
    tags: tagsOf(id, site),
    audience: audienceOf(post, site),
    ...(author !== undefined && { personId: author }),
    comments: commentsOf(id, site),
    likes: [],
    isOwnAddress: address => isContent(address) || postAt(address, site) !== undefined,
    findFile: address => findContent(images, address),
    findPost: address => postAt(address, site),
    // A draft's slug is kept, too: it is its address once it is published.
    addresses: slug === '' ? [] : [`/${slug}/`],
    notes:
      status === 'scheduled' ? [`it was scheduled for ${post.get('published_at')}: it is a draft here`] : [],
  };
}

/** Ghost's rendering, which contains every card; or the editor's text, if an export has no rendering. */
function textOf(post: Row): { content: string; words: string } {
  const html = post.get('html')?.trim() ?? '';
  const pieces: string[] = [];
  // A Markdown card is not converted: a placeholder replaces it until the HTML around it has become Markdown.
  const mark = (text: string) => `<p>coteriemarkdowncard${pieces.push(text) - 1}end</p>`;
  const written = inBounds(html, () => html || fromEditor(post, mark));
  const { markdown, words } = convertHtml(local(written), rewriteCard);
  const content = markdown.replaceAll(/coteriemarkdowncard(\d+)end/g, (whole, index) =>
    local(pieces[Number(index)] ?? whole),
  );
  return { content, words: words.replaceAll(/coteriemarkdowncard\d+end/g, '') };
}

function fromEditor(post: Row, mark: (text: string) => string): string {
  const lexical = post.get('lexical')?.trim();
  const mobiledoc = post.get('mobiledoc')?.trim();
  try {
    if (lexical) return lexicalHtml(lexical, mark);
    return mobiledoc ? mobiledocHtml(mobiledoc, mark) : '';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new AppError('invalid-argument', `its text cannot be read: ${error.message}`);
  }
}

/** Ghost's placeholder for its own address. */
const local = (text: string) => text.replaceAll('__GHOST_URL__', '');

/** The picture of a post is shown above its text. */
function withPicture(content: string, post: Row, meta: Row | undefined): string {
  const src = local(post.get('feature_image') ?? '');
  if (src === '' || content.includes(src)) return content;
  const words = local(meta?.get('feature_image_caption') ?? '');
  const image = `<img src="${escaped(src)}" alt="${escaped(meta?.get('feature_image_alt'))}">`;
  return `${htmlToMarkdown(`<figure>${image}<figcaption>${words}</figcaption></figure>`)}\n\n${content}`.trim();
}

/** The tags that readers saw: internal ones only controlled the theme. */
function tagsOf(id: string, site: GhostSite): string[] {
  return (site.tagsOf.get(id) ?? []).flatMap(tagId => {
    const tag = site.tags.get(tagId);
    return tag === undefined || tag.isInternal || tag.name === '' ? [] : tag.name;
  });
}

/** Comments and answers: Ghost's are one level deep as well. */
function commentsOf(postId: string, site: GhostSite): DraftPost['comments'] {
  const comments = (site.commentsOf.get(postId) ?? []).flatMap(row => commentOf(row, site));
  const ids = new Set(comments.map(({ id }) => id));
  // Answers to a comment that was hidden there become top-level comments.
  return comments.map(one => (ids.has(one.answers ?? '') ? one : { ...one, answers: undefined }));
}

function commentOf(row: Row, site: GhostSite): DraftPost['comments'] {
  if ((row.get('status') ?? 'published') !== 'published') return [];
  const member = site.members.get(row.get('member_id') ?? '');
  return [
    {
      id: row.get('id') ?? '',
      ...(member && { personId: `member ${member.get('email')?.toLowerCase()}` }),
      authorName: member?.get('name') || 'Anonymous',
      content: htmlToText(row.get('html') ?? ''),
      time: utcTime(row.get('created_at')) ?? 0,
      ...(row.get('parent_id') && { answers: row.get('parent_id') }),
    },
  ];
}

function postAt(address: string, site: GhostSite): string | undefined {
  if (!/^\/[^/]/.test(address)) return undefined;
  const slug = oldAddress(address)?.slice(1);
  const id = slug === undefined ? undefined : site.slugs.get(slug);
  return id === undefined ? undefined : `posts/${id}`;
}

/** Ghost's addresses of uploads, with the size of a smaller copy or another format in between. */
const content = /^(?:https?:\/\/[^/]+)?\/(?:[\w-]+\/)*?content\/((?:images|media|files)\/[^?#]+)/i;
const copied = /^images\/(?:size\/w\d+(?:h\d+)?\/)?(?:format\/\w+\/)?/i;

const isContent = (address: string) => content.test(address);

/** The file at an address, in a copy of Ghost's `content` folder or of a folder within. */
async function findContent(
  tree: FileTree | undefined,
  address: string,
): Promise<DraftFile | { problem: string } | undefined> {
  const path = content.exec(address)?.[1];
  if (path === undefined) return undefined;
  if (tree === undefined)
    return { problem: 'stays where it is, because no copy of the images was given (--images)' };
  const name = decoded(path).replace(copied, 'images/');
  const places = [name, `content/${name}`, name.replace(/^\w+\//, '')];
  return (await findFirst(tree, places)) ?? { problem: 'is not in the copy of the images' };
}
