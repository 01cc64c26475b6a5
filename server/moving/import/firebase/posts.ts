import type { DraftPost } from '../draft.ts';
import type { FileTree } from '../media/tree.ts';
import { firstWords } from '../words.ts';
import { findInBucket, storedObject } from './bucket.ts';
import type { Documents } from './documents.ts';
import { fieldOf, listField, recordOf, textField, timeField } from './fields.ts';

/** The tag of a post whose own tags cannot be read. */
const unreadableTags = 'unreadable tags';

/** A document of `posts` with its likes and comments. */
export function readPost(
  documents: Documents,
  id: string,
  fields: Record<string, unknown>,
  bucket: FileTree | undefined,
): DraftPost {
  const notes: string[] = [];
  const isDraft = fieldOf(fields, 'isDraft') !== false;
  if (isDraft && fieldOf(fields, 'isDraft') !== true)
    notes.push('it does not say that it is published: it is a draft here');
  const type = fieldOf(fields, 'type') === 'essay' ? ('essay' as const) : ('short' as const);
  const content = textField(fields, 'content') ?? '';
  const title = type === 'essay' ? textField(fields, 'title') : undefined;
  return {
    kind: 'post',
    id: `posts/${id}`,
    keepId: id,
    type,
    title,
    fallbackTitle: firstWords(content),
    description: type === 'essay' ? textField(fields, 'description') : undefined,
    content,
    isDraft,
    date: timeField(fields, 'createdAt'),
    editedAt: timeField(fields, 'updatedAt'),
    tags: [],
    audience: audienceOf(fields, notes),
    personId: textField(fields, 'authorId'),
    comments: [...commentsOf(documents, id)],
    likes: [...likesOf(documents, id)],
    attachments: attachmentsOf(fields),
    isOwnAddress: address => storedObject(address) !== undefined,
    findFile: address => findInBucket(bucket, address),
    addresses: [],
    notes,
  };
}

/** Its tags, spelled exactly as there: "Family" and "family" were two tags there. */
function audienceOf(fields: Record<string, unknown>, notes: string[]): string[] {
  const tags = fieldOf(fields, 'tags') ?? [];
  if (Array.isArray(tags) && tags.every(tag => typeof tag === 'string')) return tags;
  if (recordOf(tags) !== undefined && Object.keys(tags).length === 0) return [];
  notes.push(`its tags cannot be read: it gets the tag “${unreadableTags}”`);
  return [unreadableTags];
}

function* commentsOf(documents: Documents, postId: string): Generator<DraftPost['comments'][number]> {
  for (const { id, fields } of documents.in(`posts/${postId}/comments`)) {
    const content = textField(fields, 'content', 'text');
    if (content === undefined) continue;
    yield {
      id,
      keepId: /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : undefined,
      personId: textField(fields, 'userId', 'authorId'),
      authorName: textField(fields, 'username', 'authorUsername'),
      content,
      time: timeField(fields, 'createdAt') ?? 0,
    };
  }
}

function* likesOf(documents: Documents, postId: string): Generator<DraftPost['likes'][number]> {
  for (const { id, fields } of documents.in(`posts/${postId}/likes`)) {
    yield { personId: textField(fields, 'userId') ?? id, time: timeField(fields, 'createdAt') ?? 0 };
  }
}

function attachmentsOf(fields: Record<string, unknown>): NonNullable<DraftPost['attachments']> {
  return (listField(fields, 'attachments') ?? []).flatMap(value => {
    const attachment = recordOf(value) ?? {};
    const address = textField(attachment, 'url');
    if (address === undefined) return [];
    return {
      address,
      description: textField(attachment, 'description'),
      thumbnail: textField(attachment, 'thumbnail'),
    };
  });
}
