import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { Call } from '../../contract/operations.ts';
import { noteOpened } from './marks.tsx';

it('posts that one reader has opened are not recorded for the next', () => {
  const client = new QueryClient();
  client.setQueryData(['getViewer', {}], { user: { id: 'mina' } });
  const noted: unknown[] = [];
  const call = (async (_: string, input: unknown) => noted.push(input)) as unknown as Call;
  noteOpened(client, call, 'lucy', ['a']);
  noteOpened(client, call, 'mina', ['b']);
  expect(noted).toEqual([{ postIds: ['b'] }]);
});
