import { shortPostMaxCharacters } from '../../contract/limits.ts';

/** Characters before the limit at which the counter turns. */
const nearLimit = 20;

/** Counts as people count, and turns before the limit bites. */
export function Counter({ characters }: { characters: number }) {
  const left = shortPostMaxCharacters - characters;
  const state = left < 0 ? 'over' : left <= nearLimit ? 'near' : undefined;
  return (
    <p className={state === undefined ? 'counter' : `counter ${state}`}>
      {characters} / {shortPostMaxCharacters}
      <span className="hidden" role="status">
        {left < 0
          ? `${-left} characters too many. A short post has at most ${shortPostMaxCharacters}.`
          : state === 'near' && `${left} characters left`}
      </span>
    </p>
  );
}
