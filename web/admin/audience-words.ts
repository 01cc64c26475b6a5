import type { AudienceEffect } from '../../contract/retagging.ts';
import { amount } from '../ui/amount.ts';
import { effectWords } from './users/effect.tsx';

/** What other tags on posts open and close, in sentences with numbers (decision 6). Empty for nothing. */
export function audienceWords({ visitors, members }: AudienceEffect): string[] {
  const words = effectWords(visitors, 'visitors');
  if (members.gained > 0)
    words.push(
      `${amount(members.gained, 'post becomes', 'posts become')} visible to members: ${amount(members.gaining, 'member')} can read more than before`,
    );
  if (members.lost > 0)
    words.push(
      `${amount(members.lost, 'post is', 'posts are')} no longer visible to members: ${amount(members.losing, 'member')} can read less than before`,
    );
  return words;
}
