import type { transferOperations } from '../../../contract/transfers.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf } from '../../access/viewer.ts';
import type { FileStore } from '../../files/store/store.ts';
import { getTransferReport, getTransfers } from './read.ts';
import { checkImport, endTransfer, openExport, startExport, startImport } from './write.ts';

export const transferHandlers: Handlers<typeof transferOperations, { files: FileStore }> = {
  getTransfers: deps => getTransfers(deps),
  getTransferReport: (deps, { transferId }) => getTransferReport(deps, transferId),
  checkImport: async (deps, input) => ({
    transferId: await checkImport(deps, accountOf(deps.viewer).id, input),
  }),
  startImport: async (deps, input) => {
    await startImport(deps, accountOf(deps.viewer).id, input);
    return {};
  },
  startExport: async (deps, { format }) => ({
    transferId: await startExport(deps, accountOf(deps.viewer).id, format),
  }),
  endTransfer: async (deps, { transferId }) => {
    await endTransfer(deps, transferId);
    return {};
  },
  openExport: async (deps, { transferId }) => {
    await openExport(deps, transferId);
    return { url: `/exports/${transferId}` };
  },
};
