import type { Output } from '../../../contract/operations.ts';
import { useCall } from '../../app/queries.tsx';
import { useSettings } from '../../app/site.tsx';
import { amount } from '../../ui/amount.ts';
import { usePreview } from '../preview.tsx';
import type { User } from './query.ts';

type Effect = Pick<Output<'previewApprovedTags'>, 'gained' | 'lost'>;

/** An effect in words and numbers: "3 posts become visible to visitors" (decision 6). */
export function effectWords({ gained, lost }: Effect, who: string): string[] {
  const words: string[] = [];
  if (gained > 0) words.push(`${amount(gained, 'post becomes', 'posts become')} visible to ${who}`);
  if (lost > 0) words.push(`${amount(lost, 'post is', 'posts are')} no longer visible to ${who}`);
  return words;
}

/**
 * The effect of approving an account with these tags. Fetched only if `isAsked`, and once for all accounts on
 * the page with the same effect: otherwise tags chosen for a hundred users together would send a hundred
 * requests.
 */
export function useApprovalPreview(user: User, tags: readonly string[], isAsked: boolean) {
  const call = useCall();
  const { sendsMail } = useSettings();
  const { id, username, status, isAuthor, isEmailConfirmed } = user;
  // An author also reads their own posts, which differ for each author.
  const before = { status, isEmailConfirmed, tags: user.approvedTags.toSorted(), author: isAuthor && id };
  const question = {
    queryKey: ['previewApprovedTags', before, tags.toSorted()],
    queryFn: () => call('previewApprovedTags', { userId: id, tags: [...tags] }),
  };
  return usePreview(question, isAsked, effect => {
    const words = effectWords(effect, username);
    if (words.length === 0) words.push(`No further posts become visible to ${username}`);
    if (sendsMail && !effect.isEmailConfirmed) words.push('their email address is not confirmed');
    return words;
  });
}
