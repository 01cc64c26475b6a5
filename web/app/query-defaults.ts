import type { DefaultOptions } from '@tanstack/react-query';
import { AppError } from '../../contract/errors.ts';

/** How often a reader's lost connection is tried again before the page says so. */
const retries = 1;

/** How long the page waits until it tries again what it says has failed. Milliseconds. */
const tryAgainMs = 5_000;

/** Whether it may pass by itself; an answer that says no is an answer. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof AppError) || ['unavailable', 'internal'].includes(error.code);
}

export const queryDefaults: DefaultOptions = {
  queries: {
    // Offline is a failure that the page tells, not a wait without a word; it is mended as soon as the connection is.
    networkMode: 'always',
    refetchOnReconnect: true,
    staleTime: 30_000,
    retry: (failures, error) => failures < retries && isTemporary(error),
  },
  mutations: { networkMode: 'always' },
};

/** For what a page is nothing without: it is tried again while the page is looked at and says that it has failed. */
export const untilLoaded = {
  refetchInterval: ({ state }: { state: { status: string; error: Error | null } }) =>
    state.status === 'error' && isTemporary(state.error) ? tryAgainMs : false,
};

/** Whether a query has failed, also while it is tried again: TanStack Query counts one without data as pending then. */
export function hasFailed(query: {
  isError: boolean;
  isPending: boolean;
  errorUpdateCount: number;
}): boolean {
  return query.isError || (query.isPending && query.errorUpdateCount > 0);
}
