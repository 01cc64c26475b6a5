import { cutMarks, hasTooManyMarks, mostMarks } from '../../../contract/marks.ts';
import { storableTime } from '../../base/written-date.ts';
import type { DraftItem, DraftPost } from './draft.ts';

/** The longest stored file name, in UTF-16 units: PostgreSQL's indexes hold no path of thousands of bytes. */
const nameLength = 200;

/**
 * An item in a form that both databases can store, whatever its source contains: PostgreSQL rejects NUL and
 * lone surrogates, and the contract times before the year 1 or after 9999. One such value would end the
 * import, or break every page that lists the post.
 */
export function storableItem(item: DraftItem): DraftItem {
  const plain = storable(item);
  if (plain.kind === 'post')
    return withTimes(plain, item.kind === 'post' && hasTooManyMarks(item.content) ? [marksLeftOut] : []);
  if (plain.kind !== 'person') return plain;
  const { createdAt, decidedAt } = plain;
  return { ...plain, createdAt: storableTime(createdAt) ?? 0, decidedAt: storableTime(decidedAt) };
}

/** The name of a source's file, as the last part of a path here. */
export function storableName(name: string): string {
  const plain = storable(name)
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  // A browser would take a name of dots for a folder.
  return /^\.{0,2}$/.test(plain) ? 'file' : plain.slice(-nameLength).toWellFormed();
}

const marksLeftOut = `of more than ${mostMarks} marks on one letter the first ${mostMarks} were kept`;

function withTimes(post: DraftPost, notes: readonly string[]): DraftPost {
  const date = storableTime(post.date);
  const isLost = post.date !== undefined && date === undefined;
  return {
    ...post,
    date,
    fallbackDate: storableTime(post.fallbackDate),
    editedAt: storableTime(post.editedAt),
    comments: post.comments.map(comment => ({ ...comment, time: storableTime(comment.time) ?? 0 })),
    likes: post.likes.map(like => ({ ...like, time: storableTime(like.time) ?? 0 })),
    notes: [
      ...post.notes,
      ...notes,
      ...(isLost ? ['its date is not of the years 1 to 9999, and was left out'] : []),
    ],
  };
}

/** The same value with storable texts; functions stay unchanged. */
function storable<Value>(value: Value): Value {
  return storableValue(value) as Value;
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return cutMarks(value.replaceAll('\0', '').toWellFormed());
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, storableValue(inner)]));
}
