import type { DefaultOptions } from '@tanstack/react-query';
import { AppError } from '../../contract/errors.ts';

/** How often a failed query is retried before the page shows the failure. */
const retries = 1;

/** How long the page waits before it retries a query whose failure it shows, in milliseconds. */
const tryAgainMs = 5_000;

/** Whether an error may be temporary; a refusal is final. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof AppError) || ['unavailable', 'internal'].includes(error.code);
}

export const queryDefaults: DefaultOptions = {
  queries: {
    // Offline, a query fails so that the page can say so, instead of waiting silently; it runs again once the
    // connection is back.
    networkMode: 'always',
    refetchOnReconnect: true,
    staleTime: 30_000,
    retry: (failures, error) => failures < retries && isTemporary(error),
  },
  mutations: { networkMode: 'always' },
};

/**
 * Options for a query without which a page has no content: it is retried as long as the page is visible and
 * shows the failure.
 */
export const retriedWhileShown = {
  refetchInterval: ({ state }: { state: { status: string; error: Error | null } }) =>
    state.status === 'error' && isTemporary(state.error) ? tryAgainMs : false,
};

/**
 * Whether a query has failed, also while it is retried: TanStack Query then reports one without data as
 * pending.
 */
export function hasFailed(query: {
  isError: boolean;
  isPending: boolean;
  errorUpdateCount: number;
}): boolean {
  return query.isError || (query.isPending && query.errorUpdateCount > 0);
}
