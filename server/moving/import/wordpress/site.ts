import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../../../../contract/errors.ts';
import { oldAddress } from '../../../posts/old-addresses.ts';
import { htmlToLine } from '../html/to-markdown.ts';
import { readWxr, type WxrItem, type WxrPart } from './wxr.ts';

/** A file of the media library. */
export type WpAttachment = { url: string; alt: string; caption: string };

/** The data of a site that are needed before its first post can be read. */
export type WpSite = {
  /** Its host and path, such as `walks.example/blog`; empty if no export has it. */
  address: string;
  total: number;
  attachments: Map<string, WpAttachment>;
  /** Files by the post that they were uploaded to, in their order. */
  uploadedTo: Map<string, string[]>;
  posts: Map<string, string>;
  /** Blocks that several posts share, by their id; empty for a hidden one. */
  blocks: Map<string, string>;
  /** Names of accounts by login, and ids; with the address of those who are not imported as people. */
  authors: Map<string, { id: string; name: string; email?: string }>;
  /** The number of items of kinds that are not imported. */
  others: Map<string, number>;
};

/** Kinds of items that become posts. */
export const postTypes: ReadonlySet<string> = new Set(['post', 'page']);

export async function* readExports(files: readonly string[]): AsyncGenerator<WxrPart> {
  for (const file of files) {
    try {
      yield* readWxr(createReadStream(file));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(error.code, `${basename(file)} cannot be imported. ${error.message}`);
    }
  }
}

/** Reads all exports of a site once, for what posts refer to. Throws as {@link readWxr} does. */
export async function readSite(files: readonly string[]): Promise<WpSite> {
  const site: WpSite = {
    address: '',
    total: 0,
    attachments: new Map(),
    uploadedTo: new Map(),
    posts: new Map(),
    blocks: new Map(),
    authors: new Map(),
    others: new Map(),
  };
  for await (const part of readExports(files)) {
    if (part.kind === 'item') addItem(site, part);
    else if (part.kind === 'site') addFact(site, part.name, part.value);
    else if (part.kind === 'author') {
      const login = part.fields.get('wp:author_login')?.trim() ?? '';
      const name = htmlToLine(part.fields.get('wp:author_display_name') ?? '') || login;
      const email = part.fields.get('wp:author_email')?.trim() ?? '';
      site.authors.set(login, { id: part.fields.get('wp:author_id')?.trim() ?? '', name, email });
    } else site.total += 1;
  }
  return site;
}

function addFact(site: WpSite, name: string, value: string): void {
  const isAddress = name === 'wp:base_blog_url' || (name === 'link' && site.address === '');
  const url = isAddress ? URL.parse(value.trim()) : null;
  if (url !== null) site.address = (url.host + url.pathname).replace(/\/$/, '');
}

function addItem(site: WpSite, { fields, meta }: WxrItem): void {
  const id = fields.get('wp:post_id')?.trim() ?? '';
  const type = typeOf(fields);
  if (postTypes.has(type)) {
    site.total += 1;
    for (const address of addressesOf(fields)) {
      const path = oldAddress(address);
      if (path !== undefined) site.posts.set(path, id);
    }
  } else if (type === 'attachment') addAttachment(site, id, fields, meta);
  else if (type === 'wp_block') {
    // WordPress hides other blocks, whatever post they are in.
    const isShown = statusOf(fields) === 'publish' && (fields.get('wp:post_password') ?? '') === '';
    site.blocks.set(id, isShown ? (fields.get('content') ?? '') : '');
  } else site.others.set(type, (site.others.get(type) ?? 0) + 1);
}

function addAttachment(site: WpSite, id: string, fields: WxrItem['fields'], meta: WxrItem['meta']): void {
  const url = (fields.get('wp:attachment_url') ?? fields.get('guid') ?? '').trim();
  site.attachments.set(id, {
    url,
    alt: htmlToLine(meta.get('_wp_attachment_image_alt') ?? ''),
    caption: (fields.get('excerpt') ?? '').trim(),
  });
  const parent = fields.get('wp:post_parent')?.trim() ?? '0';
  if (parent === '0') return;
  const others = site.uploadedTo.get(parent);
  if (others === undefined) site.uploadedTo.set(parent, [id]);
  else others.push(id);
}

/** The first exports (WXR 1.0) may name no kind. */
export const typeOf = (fields: ReadonlyMap<string, string>) => fields.get('wp:post_type')?.trim() || 'post';

export const statusOf = (fields: ReadonlyMap<string, string>) => fields.get('wp:status')?.trim() || 'publish';

/** The former addresses of a post: its permalink, and the one by its number, which always worked. */
export function addressesOf(fields: ReadonlyMap<string, string>): string[] {
  const link = fields.get('link')?.trim() ?? '';
  const id = fields.get('wp:post_id')?.trim() ?? '';
  const isNumber = /^\d+$/.test(id);
  const path = URL.parse(link)?.pathname ?? '/';
  // A draft has only the address with its number.
  return [...(path !== '/' && !/[?&]p=/.test(link) ? [link] : []), ...(isNumber ? [`/?p=${id}`] : [])];
}
