import { useState, useSyncExternalStore } from 'react';
import { scrolledThreshold } from '../../contract/constants.ts';
import { addressOfTags, toggled } from './selection.ts';
import type { TagSearchState } from './use-tag-search.ts';

/** The number of tags that are listed at first. */
const firstTags = 12;

type TagSearchProps = {
  /** Tags of posts that the viewer may read, and those in the address. */
  names: readonly string[];
  /** How many posts that the viewer may read carry each. */
  uses: ReadonlyMap<string, string>;
  shown: readonly string[];
  state: TagSearchState;
  isOpen: boolean;
};

/**
 * The tag search (specification section 2): a fixed bar, or on a phone the panel behind `search`. Buttons are
 * disabled by `aria-disabled`, so that the pressed one keeps the focus during and after the search.
 */
export function TagSearch({ names, uses, shown, state, isOpen }: TagSearchProps) {
  const [isWhole, setWhole] = useState(false);
  const { selected, isSearching } = state;
  const first = Math.max(firstTags, shown.length);
  // One more tag takes no more space than the button for it.
  const canFold = names.length > first + 1;
  const isFolded = canFold && !isWhole;
  const listed = isFolded ? names.filter((name, at) => at < first || selected.includes(name)) : names;
  const isIdle = selected.length === 0 || isSearching;
  const isScrolled = useScrolled(scrolledThreshold);
  return (
    <search
      id="search"
      className={['tagbar', isOpen && 'open', canFold && isWhole && 'whole', isScrolled && 'scrolled']
        .filter(Boolean)
        .join(' ')}
      aria-label="Posts by tag"
      aria-busy={isSearching}
    >
      <ul className="tags scripted" aria-label="Tags">
        {listed.map(name => (
          <li key={name}>
            <button
              type="button"
              className="chip"
              aria-pressed={selected.includes(name)}
              aria-disabled={isSearching}
              onClick={() => isSearching || state.toggle(name)}
            >
              {name}
              {uses.has(name) && (
                <span className="uses" aria-hidden="true">
                  {uses.get(name)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <noscript>
        <TagLinks names={names} shown={shown} />
      </noscript>
      <div className="acts scripted">
        {canFold && (
          <button type="button" className="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Fewer' : `All ${names.length} tags`}
          </button>
        )}
        <button
          type="button"
          className="quiet"
          aria-disabled={isIdle}
          onClick={() => isIdle || state.search()}
        >
          {isSearching ? 'Searching...' : 'Search'}
        </button>
        <button
          type="button"
          className="quiet"
          aria-disabled={isIdle}
          onClick={() => isIdle || state.clear()}
        >
          Clear
        </button>
      </div>
      <p className="hidden" role="status">
        {state.found}
      </p>
    </search>
  );
}

/** The tags for a browser without scripts: each link adds or removes its tag. */
function TagLinks({ names, shown }: Pick<TagSearchProps, 'names' | 'shown'>) {
  return (
    <ul className="tags" aria-label="Tags">
      {names.map(name => (
        <li key={name}>
          <a
            className="chip"
            href={addressOfTags(toggled(shown, name))}
            aria-current={shown.includes(name) ? 'true' : undefined}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function subscribe(notify: () => void): () => void {
  window.addEventListener('scroll', notify, { passive: true });
  return () => window.removeEventListener('scroll', notify);
}

/** Whether the page has been scrolled past this many pixels. */
function useScrolled(pixels: number): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.scrollY > pixels,
    () => false,
  );
}
