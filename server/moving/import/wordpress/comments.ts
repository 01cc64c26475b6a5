import { cutAtWord, firstCharacters } from '../../../../contract/text.ts';
import type { DraftPost } from '../draft.ts';
import { htmlToLine } from '../html/to-markdown.ts';
import { htmlToText } from '../html/to-text.ts';
import { utcTime } from '../utc-time.ts';
import type { WxrItem } from './wxr.ts';

type Comment = ReadonlyMap<string, string>;
type Comments = Pick<DraftPost, 'comments'> & { notes: string[] };

/** How many characters of a comment distinguish it from others by its author. */
const quotedCharacters = 40;

/** Why an invisible comment is not imported, by its approval status. */
const states: Record<string, string> = {
  '0': 'wait for approval',
  hold: 'wait for approval',
  spam: 'spam',
  trash: 'in the trash',
  'post-trashed': 'in the trash',
};

/**
 * The visible comments; the notes count the others. Threads here are one level deep, so a reply to a reply
 * says whom it answers, and what, if that person has written more than one comment. Email, web and IP
 * addresses are not imported.
 */
export function commentsOf({ comments }: Pick<WxrItem, 'comments'>): Comments {
  const left = new Map<string, number>();
  const leave = (why: string) => left.set(why, (left.get(why) ?? 0) + 1);
  const shown = comments.filter(comment => {
    const approval = comment.get('wp:comment_approved')?.trim() ?? '';
    const type = comment.get('wp:comment_type')?.trim() ?? '';
    if (approval !== '1' && approval !== 'approve') leave(states[approval] ?? 'of an unknown state');
    else if (type !== '' && type !== 'comment') leave('mentions by other sites');
    else return true;
    return false;
  });
  const byId = new Map(shown.map(comment => [idOf(comment), comment]));
  const byAuthor = Map.groupBy(shown, authorOf);
  const parentOf = (comment: Comment) => byId.get(comment.get('wp:comment_parent')?.trim() ?? '0');
  const beginningOf = (comment: Comment): Comment => {
    let first = comment;
    // A file may name each of two comments as the parent of the other.
    const met = new Set<Comment>();
    for (let next = parentOf(first); next !== undefined && !met.has(next); next = parentOf(first)) {
      met.add(next);
      first = next;
    }
    return first;
  };
  const answeredBy = (comment: Comment): string | undefined => {
    const answered = parentOf(comment);
    if (answered === undefined || parentOf(answered) === undefined) return undefined;
    const author = authorOf(answered);
    if (byAuthor.get(author)?.length === 1) return author;
    return `${author} (‘${cutAtWord(textOf(answered).replaceAll(/\s+/g, ' '), quotedCharacters)}’)`;
  };
  return {
    comments: shown.map(comment => {
      const first = beginningOf(comment);
      const answers = first === comment || parentOf(first) !== undefined ? undefined : idOf(first);
      return { ...commentOf(comment, answeredBy(comment)), answers };
    }),
    notes: [...left].map(([why, count]) => `left out: comments (${count}), ${why}`),
  };
}

function commentOf(comment: Comment, answered: string | undefined): DraftPost['comments'][number] {
  const userId = comment.get('wp:comment_user_id')?.trim() ?? '0';
  const content = textOf(comment);
  return {
    id: idOf(comment),
    ...(userId !== '0' && { personId: userId }),
    authorName: authorOf(comment),
    content: answered === undefined || content === '' ? content : `In reply to ${answered}: ${content}`,
    time: utcTime(comment.get('wp:comment_date_gmt')) ?? utcTime(comment.get('wp:comment_date')) ?? 0,
  };
}

const idOf = (comment: Comment) => comment.get('wp:comment_id')?.trim() ?? '';

const textOf = (comment: Comment) => htmlToText(comment.get('wp:comment_content') ?? '');

const authorOf = (comment: Comment) =>
  firstCharacters(htmlToLine(comment.get('wp:comment_author') ?? ''), 100) || 'Anonymous';
