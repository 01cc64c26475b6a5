import { moment } from '../../../contract/date.ts';
import type { DraftItem } from './draft.ts';

/**
 * A post that its source shows only from a day on, or only until one, becomes a draft outside of that time
 * (decision 32): it would be readable here while it is not there. An import after the day publishes it.
 */
export function heldBack(item: DraftItem, now: number): DraftItem {
  if (item.kind !== 'post' || item.shown === undefined) return item;
  const { shown, ...post } = item;
  const draft = (reason: string): DraftItem => ({
    ...post,
    isDraft: true,
    notes: [...post.notes, `${reason}: it is a draft here`],
  });
  if (post.isDraft) return post;
  if (shown.from !== undefined && shown.from > now)
    return draft(`it was scheduled for ${moment(shown.from)}`);
  if (shown.until !== undefined && shown.until <= now) return draft(`it expired on ${moment(shown.until)}`);
  return post;
}
