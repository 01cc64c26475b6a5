import { shortPostMaxCharacters } from '../../../contract/constants.ts';

/** Characters before the limit at which the counter turns. */
const nearLimit = 20;
/** Counted no further, at each key: by how much a whole essay is too long tells nobody more. */
export const countedCharacters = 10 * shortPostMaxCharacters;

/** Counts as people count, and turns before the limit bites. */
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
