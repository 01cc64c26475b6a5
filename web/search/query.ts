import { searchMaxCharacters, searchPages } from '../../contract/constants.ts';
import type { Call, Input } from '../../contract/operations.ts';
import { operationQuery } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';

/** The parameters of a search in the address. */
export type Search = {
  q: string;
  tag: string;
  kind: 'short' | 'essay' | '';
  year: number | null;
  pictures: boolean;
  page: number;
};

/** From the address, so that a link to results, Back and the form without scripts show the same. */
export function searchOf(query: URLSearchParams): Search {
  const kind = query.get('kind');
  const year = Number(query.get('year'));
  const page = Number(query.get('page'));
  return {
    q: (query.get('q') ?? '').slice(0, searchMaxCharacters),
    tag: (query.get('tag') ?? '').slice(0, searchMaxCharacters),
    kind: kind === 'short' || kind === 'essay' ? kind : '',
    year: Number.isInteger(year) && year >= 1_900 && year <= 9_999 ? year : null,
    pictures: query.has('pictures'),
    page: Number.isInteger(page) && page >= 1 && page <= searchPages ? page : 1,
  };
}

export function addressOf({ q, tag, kind, year, pictures, page }: Search): string {
  const query = new URLSearchParams();
  if (q !== '') query.set('q', q);
  if (tag !== '') query.set('tag', tag);
  if (kind !== '') query.set('kind', kind);
  if (year !== null) query.set('year', String(year));
  if (pictures) query.set('pictures', 'yes');
  if (page > 1) query.set('page', String(page));
  return routes.search.href(query.size === 0 ? '' : `?${query}`);
}

export const isFiltered = ({ tag, kind, year, pictures }: Search): boolean =>
  tag !== '' || kind !== '' || year !== null || pictures;

export function resultsQuery(call: Call, { q, tag, kind, year, pictures, page }: Search) {
  const input: Input<'search'> = {
    q: q.trim(),
    ...(tag !== '' && { tag }),
    ...(kind !== '' && { type: kind }),
    ...(year !== null && { year }),
    withPictures: pictures,
    page,
  };
  return operationQuery(call, 'search', input);
}
