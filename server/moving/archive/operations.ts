import type { backupOperations } from '../../../contract/backups.ts';
import type { Handlers } from '../../access/context.ts';
import { getBackupState } from './backup-state.ts';

export const backupHandlers: Handlers<typeof backupOperations> = {
  getBackupState: async deps => await getBackupState(deps),
};
