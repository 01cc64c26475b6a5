import { shortPostMaxCharacters } from '../../../contract/constants.ts';
import { amount } from '../../ui/amount.ts';

/** How many characters before the limit the counter changes its colour. */
const nearLimit = 20;
/** Counting at each key stops here: the exact number does not matter for a text as long as an essay. */
export const countedCharacters = 10 * shortPostMaxCharacters;

/** Counts characters as people do, and changes its colour near the limit. */
export function Counter({ characters }: { characters: number }) {
  const left = shortPostMaxCharacters - characters;
  const state = left < 0 ? 'over' : left <= nearLimit ? 'near' : undefined;
  const isMore = characters > countedCharacters;
  return (
    <p className={state === undefined ? 'counter' : `counter ${state}`}>
      {isMore ? `${countedCharacters}+` : characters} / {shortPostMaxCharacters}
      <span className="hidden" role="status">
        {left < 0
          ? `${isMore ? `More than ${amount(-left - 1, 'character')}` : amount(-left, 'character')} too many. A short post has at most ${shortPostMaxCharacters}.`
          : state === 'near' && `${amount(left, 'character')} left`}
      </span>
    </p>
  );
}
