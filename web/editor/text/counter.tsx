import { shortPostMaxCharacters } from '../../../contract/constants.ts';

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
          ? `${isMore ? `More than ${inCharacters(-left - 1)}` : inCharacters(-left)} too many. A short post has at most ${shortPostMaxCharacters}.`
          : state === 'near' && `${inCharacters(left)} left`}
      </span>
    </p>
  );
}

function inCharacters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}
