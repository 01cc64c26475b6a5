import { useQuery } from '@tanstack/react-query';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { amount } from '../../ui/amount.ts';
import { previewed } from '../effect-text.tsx';
import type { User } from './query.ts';

type Effect = Pick<Output<'previewApprovedTags'>, 'gained' | 'lost'>;

/** An effect in words and numbers: "3 posts become visible to visitors" (decisions.md 6). */
export function effectWords({ gained, lost }: Effect, who: string): string[] {
  const words: string[] = [];
  if (gained > 0) words.push(`${amount(gained, 'post becomes', 'posts become')} visible to ${who}`);
  if (lost > 0) words.push(`${amount(lost, 'post is', 'posts are')} no longer visible to ${who}`);
  return words;
}

/**
 * The effect of approving an account with these tags; fetched only if `isAsked`, and once for all accounts on the page that
 * it is the same for: tags chosen for a hundred users together would otherwise ask a hundred times.
 */
export function useApprovalEffect(user: User, tags: readonly string[], isAsked: boolean) {
  const call = useCall();
  const { id, status, isAuthor, isEmailConfirmed } = user;
  // An author also reads their own posts, which nobody else has.
  const before = { status, isEmailConfirmed, tags: user.approvedTags.toSorted(), author: isAuthor && id };
  return useQuery({
    queryKey: ['previewApprovedTags', before, tags.toSorted()],
    queryFn: () => call('previewApprovedTags', { userId: id, tags: [...tags] }),
    enabled: isAsked,
    ...previewed,
  });
}

export function useDefaultTagsEffect(tags: readonly string[], isAsked: boolean) {
  const call = useCall();
  return useQuery({
    ...operationQuery(call, 'previewDefaultTags', { tags: [...tags] }),
    enabled: isAsked,
    ...previewed,
  });
}

/** The effect of an approval in words, before it is saved. */
export function approvalWords(username: string, effect: ReturnType<typeof useApprovalEffect>): string[] {
  if (effect.isError) return ['Could not load the effect of this change.'];
  if (effect.data === undefined) return [];
  const words = effectWords(effect.data, username);
  if (words.length === 0) words.push(`No other posts become visible to ${username}`);
  if (!effect.data.isEmailConfirmed) words.push('this email address is not confirmed');
  return words;
}
