import type { backupOperations } from '../../../contract/backups.ts';
import type { Handlers } from '../../access/context.ts';
import { getBackupState, requestBackup } from './backup-state.ts';

export const backupHandlers: Handlers<typeof backupOperations> = {
  getBackupState,
  requestBackup: async deps => {
    await requestBackup(deps);
    return await getBackupState(deps);
  },
};
