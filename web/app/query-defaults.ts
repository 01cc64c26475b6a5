import type { DefaultOptions } from '@tanstack/react-query';
import { AppError } from '../../contract/errors.ts';

/** How often a reader's lost connection is tried again before the page says so. */
const retries = 1;

/** Only what may pass by itself is tried again; an answer that says no is an answer. */
export const queryDefaults: DefaultOptions = {
  queries: {
    // Offline is a failure that the page tells, not a wait without a word; it is mended as soon as the connection is.
    networkMode: 'always',
    refetchOnReconnect: true,
    staleTime: 30_000,
    retry: (failures, error) =>
      failures < retries &&
      (!(error instanceof AppError) || ['unavailable', 'internal'].includes(error.code)),
  },
  mutations: { networkMode: 'always' },
};
