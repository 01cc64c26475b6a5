import { useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import { Link } from 'wouter';
import { searchMaxCharacters } from '../../contract/constants.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { onForm } from '../ui/on-form.ts';
import { useTypedSearch } from '../ui/typed-search.ts';
import { moveAmongResults } from './keys.ts';
import { addressOf, isFiltered, type Search, searchOf } from './query.ts';

type SearchFormProps = {
  search: Search;
  years: readonly number[];
  field: RefObject<HTMLInputElement | null>;
  onSearch(search: Search): void;
};

/**
 * A form that sends to its own page's address, so it works without scripts; with scripts it searches while
 * typing.
 */
export function SearchForm({ search, years, field, onSearch }: SearchFormProps) {
  const call = useCall();
  const { tags = [] } = useQuery(operationQuery(call, 'getTags', {})).data ?? {};
  const names = tags.map(tag => tag.name);
  // The option in the address stays in the list, even if it is unknown.
  const options = search.tag === '' || names.includes(search.tag) ? names : [search.tag, ...names];
  const change = (changed: Partial<Search>) => onSearch({ ...search, ...changed, page: 1 });
  return (
    <search>
      <form
        className="search-form"
        method="get"
        action={routes.search.href()}
        onSubmit={onForm(form => {
          const fields = [...form].map(([name, value]) => [name, String(value)]);
          onSearch(searchOf(new URLSearchParams(fields)));
        })}
      >
        <div className="search-line">
          <SearchField value={search.q} field={field} onChange={q => change({ q })} />
          <button type="submit" className="button">
            Search
          </button>
        </div>
        <div className="search-filters">
          {options.length > 0 && (
            <Choice label="Tag" name="tag" value={search.tag} onChoose={tag => change({ tag })}>
              <option value="">Every tag</option>
              {options.map(name => (
                <option key={name}>{name}</option>
              ))}
            </Choice>
          )}
          <Choice
            label="Kind"
            name="kind"
            value={search.kind}
            onChoose={kind => change({ kind: kind as Search['kind'] })}
          >
            <option value="">Every kind</option>
            <option value="short">Short posts</option>
            <option value="essay">Essays</option>
          </Choice>
          {years.length > 0 && (
            <Choice
              label="Year"
              name="year"
              value={String(search.year ?? '')}
              onChoose={year => change({ year: year === '' ? null : Number(year) })}
            >
              <option value="">Every year</option>
              {years.map(year => (
                <option key={year}>{year}</option>
              ))}
            </Choice>
          )}
          <label className="check">
            <input
              type="checkbox"
              name="pictures"
              value="yes"
              checked={search.pictures}
              onChange={event => change({ pictures: event.currentTarget.checked })}
            />
            With pictures
          </label>
          {isFiltered(search) && (
            <Link className="quiet" to={addressOf({ ...searchOf(new URLSearchParams()), q: search.q })}>
              Search everything
            </Link>
          )}
        </div>
      </form>
    </search>
  );
}

type ChoiceProps = {
  label: string;
  name: string;
  value: string;
  onChoose(value: string): void;
  children: ReactNode;
};

function Choice({ label, name, value, onChoose, children }: ChoiceProps) {
  return (
    <select
      className="input"
      aria-label={label}
      name={name}
      value={value}
      onChange={event => onChoose(event.currentTarget.value)}
    >
      {children}
    </select>
  );
}

type SearchFieldProps = {
  value: string;
  field: RefObject<HTMLInputElement | null>;
  onChange(q: string): void;
};

function SearchField({ value, field, onChange }: SearchFieldProps) {
  const [text, setText] = useTypedSearch(value, onChange);
  return (
    <input
      ref={field}
      type="search"
      className="input"
      name="q"
      aria-label="Search posts"
      placeholder="Words to find"
      autoComplete="off"
      enterKeyHint="search"
      maxLength={searchMaxCharacters}
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      onKeyDown={moveAmongResults}
    />
  );
}
