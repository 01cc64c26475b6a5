import type { Insertable } from 'kysely';
import { createId } from '../../server/base/id.ts';
import { parseNetworks } from '../../server/base/networks.ts';
import type { Tables } from '../../server/db/tables.ts';
import type { Site } from '../support/site.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

type NewTransfer = Pick<Insertable<Tables['transfers']>, 'kind' | 'what' | 'state'> &
  Partial<Insertable<Tables['transfers']>>;

/** An import or an export as it stands at some time, without the process that would have brought it there. */
export async function insertTransfer({ deps }: Site, row: NewTransfer): Promise<string> {
  const id = createId();
  await deps.db
    .insertInto('transfers')
    .values({ id, is_dry_run: false, files: '[]', user_id: null, created_at: deps.clock(), ...row })
    .execute();
  return id;
}

/** A proposal that waits. */
export async function propose({ deps }: Site, userId: string): Promise<{ userId: string; email: string }> {
  const email = `${createId().toLowerCase()}@example.org`;
  const row = { user_id: userId, email, name: 'Some One', word: '', created_at: deps.clock() };
  await deps.db.insertInto('proposals').values(row).execute();
  return { userId, email };
}

/** A webhook that takes what it is told. */
export async function insertWebhook({ deps }: Site): Promise<string> {
  const receiver = await startReceiver();
  deps.config.webhookNetworks = parseNetworks('127.0.0.1');
  const [id, created_at, url] = [createId(), deps.clock(), receiver.url('/')];
  const row = { format: 'json', url, token: '', events: 'post' } as const;
  await deps.db
    .insertInto('webhooks')
    .values({ ...row, id, name: 'early', created_at })
    .execute();
  return id;
}

/** Only one is open at a time. */
export async function endOpenTransfers({ deps }: Site): Promise<void> {
  await deps.db
    .updateTable('transfers')
    .set({ state: 'cancelled' })
    .where('state', 'in', ['waiting', 'running', 'checked'])
    .execute();
}
