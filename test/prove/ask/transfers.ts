import { AnyOrder } from '../model/lists.ts';
import { existing, type Transfer, type World } from '../model/world.ts';
import { call } from './call.ts';
import { judgeStatus } from './files.ts';
import type { Question } from './question.ts';

/** The list of imports and exports, and the file of each export: only for admins with a session. */
export function transferQuestions(world: World): Question[] {
  return [
    call('getTransfers', {}, 'admin', at => {
      const all = Object.values(at.transfers).map(({ id, state, by }) => {
        const starter = existing(at.accounts).find(({ name }) => name === by);
        return { id, state, by: starter?.username ?? null };
      });
      return { result: { transfers: new AnyOrder(all) } };
    }),
    ...Object.values(world.transfers).flatMap(transfer => [
      call(
        'openExport',
        { transferId: transfer.id },
        'admin',
        at => (isMade(at, transfer) ? { result: {} } : { refusal: 'not-found' }),
        { isForTokens: false },
      ),
      download(transfer),
    ]),
  ];
}

function isMade(world: World, { name }: Transfer): boolean {
  const { kind, hasFile } = world.transfers[name] ?? {};
  return kind === 'export' && hasFile === true;
}

/** The bytes of an export. To everybody but admins it is not found. */
function download(transfer: Transfer): Question {
  return {
    title: `download of ${transfer.name}`,
    ask: async send => [await send({ path: `/exports/${transfer.id}` })],
    also: (at, viewer) => (viewer?.role === 'admin' ? (at.transfers[transfer.name]?.words ?? []) : []),
    judge: (world, viewer, [answer]) => {
      if (viewer === null) return judgeStatus(answer, 401);
      if (viewer.role !== 'admin' || !isMade(world, transfer)) return judgeStatus(answer, 404);
      return judgeStatus(answer, viewer.isByToken === true ? 403 : 200);
    },
  };
}
