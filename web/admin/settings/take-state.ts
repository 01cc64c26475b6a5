import { operationQuery, useOperations } from '../../app/queries.tsx';
import { renewTabIcon } from '../../ui/tab-icon.ts';
import type { State } from './setting-field.tsx';

/** Stores the server's answer after a change, and updates the page around it. */
export function useTakeState() {
  const { call, client } = useOperations();
  return async (state: State) => {
    client.setQueryData(operationQuery(call, 'getSiteSettings', {}).queryKey, state);
    await client.invalidateQueries({ queryKey: ['getSettings'] });
    client.removeQueries({ queryKey: ['getNewPostTags'] });
    renewTabIcon();
  };
}
