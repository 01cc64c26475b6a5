import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { searchMaxCharacters } from '../../../contract/constants.ts';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { useTypedSearch } from '../../ui/typed-search.ts';

const filters = { all: 'All Posts', published: 'Published', drafts: 'Drafts' } as const;
const kinds = { short: 'Short posts', essay: 'Essays' } as const;

/** Which posts are shown. */
export type ListRequest = {
  filter: keyof typeof filters;
  page: number;
  search: string;
  type: keyof typeof kinds | null;
  tag: string | null;
  authorId: string | null;
};

type FiltersProps = {
  request: ListRequest;
  list: Output<'listPosts'> | undefined;
  onShow(change: Partial<ListRequest>, options?: { replace: boolean }): void;
  /** What else is done with the list. */
  children?: ReactNode;
};

export function Filters({ request, list, onShow, children }: FiltersProps) {
  const { data } = useQuery(operationQuery(useCall(), 'getTags', {}));
  const authors = list?.authors ?? [];
  const deleted = list?.deletedTags ?? [];
  const names = [...(data?.tags ?? []).map(({ name }) => name), ...deleted];
  // The option in the address stays in the list, even if it is unknown.
  const tagNames = request.tag === null || names.includes(request.tag) ? names : [request.tag, ...names];
  return (
    <div className="filters">
      <ul className="tags" aria-label="Filter">
        {(Object.keys(filters) as (keyof typeof filters)[]).map(filter => (
          <li key={filter}>
            <button
              type="button"
              className="chip"
              aria-pressed={request.filter === filter}
              onClick={() => onShow({ filter })}
            >
              {filters[filter]}
            </button>
          </li>
        ))}
      </ul>
      <div className="choices">
        <Choice
          label="Kind"
          all="Every kind"
          options={Object.entries(kinds)}
          value={request.type}
          onChoose={type => onShow({ type: type as ListRequest['type'] })}
        />
        <Choice
          label="Tag"
          all="Every tag"
          options={tagNames.map(name => [name, deleted.includes(name) ? `${name} (deleted)` : name])}
          value={request.tag}
          onChoose={tag => onShow({ tag })}
        />
        {authors.length > 1 && (
          <Choice
            label="Author"
            all="Every author"
            options={authors.map(({ id, username }) => [id, username])}
            value={request.authorId}
            onChoose={authorId => onShow({ authorId })}
          />
        )}
        {children}
      </div>
      <SearchField
        value={request.search}
        onSearch={search => search !== request.search && onShow({ search }, { replace: true })}
      />
    </div>
  );
}

type ChoiceProps = {
  label: string;
  all: string;
  options: [value: string, words: string][];
  value: string | null;
  onChoose(value: string | null): void;
};

function Choice({ label, all, options, value, onChoose }: ChoiceProps) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}
    >
      <option value="">{all}</option>
      {options.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

function SearchField({ value, onSearch }: { value: string; onSearch(search: string): void }) {
  const [text, setText] = useTypedSearch(value, onSearch);
  return (
    <search>
      <input
        type="search"
        className="input"
        aria-label="Search posts"
        placeholder="Search posts"
        maxLength={searchMaxCharacters}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
      />
    </search>
  );
}
