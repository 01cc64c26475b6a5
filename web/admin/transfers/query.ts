import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Call, Output } from '../../../contract/operations.ts';
import { importSources } from '../../../contract/transfer-sources.ts';
import { operationQuery, useCall, useOperations } from '../../app/queries.tsx';
import { useReport } from '../layout.tsx';

export type Transfer = Output<'getTransfers'>['transfers'][number];
export type Limits = Output<'getTransfers'>['limits'];
export type Writer = Output<'getTransferReport'>['writers'][number];
export type Report = NonNullable<Output<'getTransferReport'>['report']>;

/**
 * How often the list is fetched, in milliseconds: while a transfer is under way, while a checked import waits
 * to be started, and otherwise.
 */
const underWayMs = 1_000;
const checkedMs = 3_000;
const quietMs = 15_000;

export const isOpen = ({ state }: Transfer) => ['waiting', 'running', 'checked'].includes(state);
export const isUnderWay = ({ state }: Transfer) => state === 'waiting' || state === 'running';

export function transfersQuery(call: Call) {
  return queryOptions({
    ...operationQuery(call, 'getTransfers', {}),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => {
      if (data?.transfers.some(isUnderWay)) return underWayMs;
      return data?.transfers.some(isOpen) ? checkedMs : quietMs;
    },
  });
}

/**
 * An admin's action on a transfer, after which the list is fetched again. `failure`: 'Failed to start the
 * import.'
 */
export function useTransferAction<Given = void>(
  act: (call: Call, given: Given) => Promise<unknown>,
  failure: string,
) {
  const { call, client } = useOperations();
  const report = useReport();
  return useMutation({
    mutationFn: (given: Given) => act(call, given),
    onError: error => report.failed(failure, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['getTransfers'] }),
  });
}

/** The result of an import, or of its dry run. */
export function useReportOf({ id, state }: Transfer) {
  const input = { transferId: id };
  return useQuery({
    ...operationQuery(useCall(), 'getTransferReport', input),
    // The dry run and the import itself have different reports.
    queryKey: ['getTransferReport', input, state],
    // With that of the dry run come the authors of this site, who change while the admin is on other pages.
    staleTime: state === 'checked' ? 0 : Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

/** What an admin has chosen for an import that is not started yet. */
type Choices = {
  opens: boolean;
  leavesTagsOut: boolean;
  /** The source's names for authors, with an account or null for nobody. Not a map: the cache holds JSON. */
  authors: readonly [name: string, userId: string | null][];
};

const noChoices: Choices = { opens: false, leavesTagsOut: false, authors: [] };

/**
 * What is chosen stays while the admin looks at other pages, such as to make somebody an author. It is kept
 * with the answers of the site, which nobody else finds who signs in here.
 */
export function useChoices({ id }: Transfer) {
  const client = useQueryClient();
  const queryKey = ['importChoices', id];
  const { data: choices } = useQuery({
    queryKey,
    queryFn: () => noChoices,
    initialData: noChoices,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const choose = (change: Partial<Choices>) =>
    client.setQueryData<Choices>(queryKey, (before = noChoices) => ({ ...before, ...change }));
  return [choices, choose] as const;
}

/** ‘Import from WordPress’, ‘Export of the whole site’. */
export function nameOf({ of }: Transfer): string {
  if (of.kind === 'import') return `Import from ${importSources[of.source].name}`;
  return of.format === 'archive' ? 'Export of the whole site' : 'Export of all posts as Markdown';
}
