import { readWrittenDate } from '../../../base/written-date.ts';
import { oldAddress } from '../../../posts/old-addresses.ts';
import { decoded } from '../decoded.ts';
import type { DraftItem, DraftPost } from '../draft.ts';
import { asMarkdown, htmlToLine } from '../html/to-markdown.ts';
import type { FileTree } from '../media/tree.ts';
import { utcTime } from '../utc-time.ts';
import { titleOfName } from '../words.ts';
import { commentsOf } from './comments.ts';
import { contentOf, withFeatured, withSharedBlocks } from './content.ts';
import { findUpload, uploadPath } from './media.ts';
import { addressesOf, postTypes, statusOf, typeOf, type WpSite } from './site.ts';
import type { WxrItem } from './wxr.ts';

export type WpReading = { site: WpSite; media: FileTree | undefined; timeZone: string };

/** A post or page of an export; undefined for an item of another kind. Throws as `contentOf` does. */
export async function readItem(
  item: WxrItem,
  { site, media, timeZone }: WpReading,
): Promise<DraftItem | undefined> {
  const { fields, meta } = item;
  if (!postTypes.has(typeOf(fields))) return undefined;
  const postId = fields.get('wp:post_id')?.trim() ?? '';
  const title = htmlToLine(fields.get('title') ?? '');
  const name = `posts/${postId || `line ${item.line}`}`;
  const state = stateOf(item);
  if ('reason' in state) return { kind: 'refused', id: `${name} ${title}`.trim(), reason: state.reason };
  const unknown = unknownRestriction(item);
  const written = withSharedBlocks(fields.get('content') ?? '', site);
  const { content, notes, words } = await contentOf(written, { site, postId, meta });
  const { comments, notes: commentNotes } = commentsOf(item);
  const login = fields.get('dc:creator')?.trim() ?? '';
  const author = site.authors.get(login);
  const date = dateOf(fields, timeZone);
  const editedAt = utcTime(fields.get('wp:post_modified_gmt'));
  return {
    kind: 'post',
    id: name,
    title: title || undefined,
    fallbackTitle: titleOfName(decoded(fields.get('wp:post_name') ?? '')),
    description: htmlToLine(fields.get('excerpt') ?? '') || undefined,
    // A post is more than its title: a post of nothing else keeps it as its content.
    content: withFeatured(content, meta.get('_thumbnail_id'), site) || asMarkdown(title),
    sourceWords: () => words,
    isDraft: state.isDraft || unknown !== undefined,
    date,
    ...(editedAt !== undefined && date !== undefined && editedAt > date + editingMs && { editedAt }),
    tags: tagsOf(item),
    audience: audienceOf(item, written),
    ...(author?.id && { personId: author.id }),
    author: namedAuthor(login, author),
    comments,
    likes: [],
    isOwnAddress: address => isOwn(address, site),
    findFile: async (address, isLink) => {
      const path = uploadPath(address, site);
      if (path === undefined) return undefined;
      const found = await findUpload(media, path);
      // A link to something that the export lacks stays unchanged.
      return 'problem' in found && isLink && media !== undefined ? undefined : found;
    },
    findPost: address => postAt(address, site),
    addresses: addressesOf(fields),
    notes: [
      ...state.notes,
      ...(unknown === undefined ? [] : [`a plugin may restrict it by “${unknown}”: it is a draft here`]),
      ...notes,
      ...commentNotes,
    ],
  };
}

/**
 * The author of a post, unless they are imported as a person of the site. The export names accounts by login,
 * and has their names separately.
 */
function namedAuthor(
  login: string,
  known: { name: string; email?: string } | undefined,
): DraftPost['author'] {
  if (known === undefined) return login === '' ? undefined : { names: [login] };
  if (known.email === undefined) return undefined;
  return { names: [known.name || login, login], email: known.email || undefined };
}

/** A save within this time after publishing is part of writing, in milliseconds. */
const editingMs = 60 * 60_000;

type State = { isDraft: boolean; notes: string[] };

/** The state of an item here; for a trashed or never saved one, the reason to leave it out. */
function stateOf({ fields }: WxrItem): State | { reason: string } {
  const status = statusOf(fields);
  const draft = (...notes: string[]): State => ({ isDraft: true, notes });
  switch (status) {
    case 'publish':
    case 'private':
      return { isDraft: false, notes: [] };
    case 'draft':
      return draft();
    case 'pending':
      return draft('it waited for review: it is a draft here');
    case 'future':
      return draft(`it was scheduled for ${fields.get('wp:post_date')?.trim()}: it is a draft here`);
    case 'trash':
      return { reason: 'it is in the trash there' };
    case 'auto-draft':
    case 'inherit':
      return { reason: 'it is no more than a beginning that was saved' };
    default:
      return draft(`its status “${status}” is unknown here: it is a draft`);
  }
}

/** Values with which plugins and WordPress.com restrict a post. */
const restrictions =
  /^(?:_members_access_role|_jetpack_newsletter_access|rcp_user_level|rcp_access_level|rcp_subscription_level|_wpmem_block|_um_content_restriction)$/;
/** Other values whose names suggest a restriction. */
const soundsRestricting =
  /(?:^|[_-])(?:access|restrict\w*|visibility|private|protect\w*|paywall|paid|members?|memberships?|subscribers?_only|hide_post|password|require[sd]?_login|login_required)(?:$|[_-])/i;
/** Names that suggest a restriction and are harmless. */
const harmless = /^_jetpack_memberships_contains_|sitemap|search|menu|title|comment|_hash$/i;
/** Blocks and shortcodes of plugins that restrict part of a post. */
const restricted =
  /<!-- wp:(?:premium-content\/|jetpack\/(?:paywall|subscriber))|\[(?:membership|members_only|members_logged_in|restrict|s2If|wlm_|pms-restrict|rcp_|wc_memberships?|paid_member)\b/i;

const isOpenValue = (value: string) =>
  /^(?:|0|no|off|false|everybody|everyone|public|all|none|default|visible|a:0:\{\}|\[\]|null)$/i.test(
    value.trim(),
  );

/** The name of a value of a post that may restrict it in an unknown way. */
function unknownRestriction({ meta }: WxrItem): string | undefined {
  return [...meta]
    .filter(([key]) => soundsRestricting.test(key) && !restrictions.test(key) && !harmless.test(key))
    .find(([, value]) => !isOpenValue(value))?.[0];
}

/** The groups by which WordPress and its plugins restrict a post (decision 32), as names of tags. */
function audienceOf({ fields, meta }: WxrItem, written: string): string[] {
  const audience: string[] = [];
  if (statusOf(fields) === 'private') audience.push('private');
  if ((fields.get('wp:post_password') ?? '') !== '') audience.push('password-protected');
  const isRestricted =
    [...meta].some(([key, value]) => restrictions.test(key) && !isOpenValue(value)) ||
    restricted.test(written);
  if (isRestricted) audience.push('members');
  return audience;
}

/** Categories and tags, except the default category, which says nothing and would hide the post. */
function tagsOf({ terms }: WxrItem): string[] {
  const names = terms
    .filter(
      ({ domain, slug }) => ['category', 'post_tag', 'tag'].includes(domain) && slug !== 'uncategorized',
    )
    .map(({ name }) => htmlToLine(name));
  return [...new Set(names)].filter(name => name !== '');
}

function dateOf(fields: ReadonlyMap<string, string>, timeZone: string): number | undefined {
  return (
    utcTime(fields.get('wp:post_date_gmt')) ??
    readWrittenDate(fields.get('wp:post_date') ?? '', timeZone) ??
    utcTime(fields.get('pubDate'))
  );
}

function isOwn(address: string, site: WpSite): boolean {
  return uploadPath(address, site) !== undefined || postAt(address, site) !== undefined;
}

/** The post that a link within the site leads to. */
function postAt(address: string, site: WpSite): string | undefined {
  const url = URL.parse(address, `https://${site.address || 'this.invalid'}`);
  const host = site.address.split('/')[0] ?? '';
  if (url === null || url.host.replace(/^www\./, '') !== host.replace(/^www\./, '')) return undefined;
  const path = oldAddress(url.href);
  const id = path === undefined ? undefined : site.posts.get(path);
  return id === undefined ? undefined : `posts/${id}`;
}
