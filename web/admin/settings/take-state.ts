import { useQueryClient } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { renewTabIcon } from '../../ui/tab-icon.ts';
import type { State } from './setting-field.tsx';

/** Takes what the server answered after a change, and lets the page around it follow. */
export function useTakeState() {
  const call = useCall();
  const client = useQueryClient();
  return async (state: State) => {
    client.setQueryData(operationQuery(call, 'getSiteSettings', {}).queryKey, state);
    await client.invalidateQueries({ queryKey: ['getSettings'] });
    renewTabIcon();
  };
}
