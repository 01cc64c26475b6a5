import { shortPostMaxCharacters } from '../../../contract/constants.ts';
import { amount, number } from '../../ui/amount.ts';

/** How many characters before the limit the counter changes its colour. */
const nearLimit = 20;
/** Counting at each key stops here: the exact number does not matter for a text as long as an essay. */
export const countedCharacters = 10 * shortPostMaxCharacters;

type CounterProps = {
  characters: number;
  most: number;
  /** The name of what has this limit, such as ‘A title’. */
  of: string;
  /** The id of the error, for the field that it describes. */
  id?: string;
  /** Whether the number is shown only near the limit. */
  isQuiet?: boolean;
};

/**
 * Shows the number of characters, changes its colour near the limit, and says by how much a text is too long.
 */
export function Counter({ characters, most, of, id, isQuiet = false }: CounterProps) {
  const left = most - characters;
  const state = left < 0 ? 'over' : left <= nearLimit ? 'near' : undefined;
  const isMore = characters > countedCharacters;
  return (
    <>
      {(state !== undefined || !isQuiet) && (
        <p className={state === undefined ? 'counter' : `counter ${state}`}>
          {`${isMore ? `${countedCharacters}+` : characters} / ${most}`}
        </p>
      )}
      <span id={id} className={left < 0 ? 'error' : 'hidden'} role="status">
        {left < 0
          ? `${of} has at most ${amount(most, 'character')}. Remove ${isMore ? `more than ${number(countedCharacters - most)}` : number(-left)} to save it.`
          : state === 'near' && `${amount(left, 'character')} left`}
      </span>
    </>
  );
}
