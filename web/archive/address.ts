import type { Input } from '../../contract/operations.ts';
import { routes } from '../app/routes.ts';

/** The part of the archive that an address shows; invalid dates are ignored. */
export type Place = Pick<Input<'getArchive'>, 'year' | 'month' | 'after'>;

export function placeOf(search: URLSearchParams): Place {
  const within = (name: string, most: number) => {
    const value = Number(search.get(name));
    return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
  };
  const year = within('year', 9_999);
  if (year === undefined) return {};
  const month = within('month', 12);
  return { year, month, after: (month && search.get('after')) || undefined };
}

export function addressOf({ year, month, after }: Place): string {
  const parameters = Object.entries({ year, month, after }).filter(([, value]) => value != null);
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]));
  return routes.archive.href(query.size === 0 ? '' : `?${query}`);
}
