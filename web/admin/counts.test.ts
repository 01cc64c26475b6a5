import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { prepareCounts } from './counts.tsx';

it('counts in the admin navigation that cannot be loaded break no page', async () => {
  const asked: string[] = [];
  const call: Call = async operation => {
    asked.push(operation);
    throw new AppError('internal', 'The database does not answer.');
  };
  await prepareCounts({ call, client: new QueryClient() });
  expect(asked.toSorted()).toEqual([
    'getUsers',
    'listAccessRequests',
    'listProposals',
    'listReportedComments',
  ]);
});
