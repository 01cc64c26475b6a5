import type { Kysely, Selectable } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Input, Output } from '../../../contract/operations.ts';
import type { WebhookEvent } from '../../../contract/webhook-names.ts';
import type { webhookOperations } from '../../../contract/webhooks.ts';
import type { Handlers } from '../../access/context.ts';
import { createId } from '../../base/id.ts';
import type { Config } from '../../config.ts';
import { countRows } from '../../db/count-rows.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { MailRefused } from '../transport.ts';
import { sendTest } from './send.ts';
import { webhookSecret } from './signature.ts';

/** Each webhook gets each event, and its deliveries are read when the page is shown. */
const maxWebhooks = 20;
const deliveriesShown = 5;

type Row = Selectable<Tables['webhooks']>;

export const webhookHandlers: Handlers<typeof webhookOperations, { config: Config; secret: string }> = {
  getWebhooks: async ({ db }) => {
    const rows = await db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute();
    return { webhooks: await Promise.all(rows.map(row => describe(db, row))) };
  },
  addWebhook: async (deps, input) => {
    const row = await addWebhook(deps, input);
    return { webhook: await describe(deps.db, row), secret: webhookSecret(deps.secret, row.id) };
  },
  testWebhook: async (deps, { webhookId }) => {
    // In a transaction, which checks the right again.
    const webhook = await inTransaction(deps, trx =>
      trx.selectFrom('webhooks').selectAll().where('id', '=', webhookId).executeTakeFirst(),
    );
    if (webhook === undefined) throw new AppError('not-found', 'This webhook no longer exists.');
    try {
      await sendTest(deps, webhook, createId());
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      throw new AppError('unavailable', error.message);
    }
    return {};
  },
  removeWebhook: async (deps, { webhookId }) => {
    await inTransaction(deps, async trx => {
      const removed = await trx
        .deleteFrom('webhooks')
        .where('id', '=', webhookId)
        .returning('name')
        .executeTakeFirst();
      if (removed === undefined) return;
      const thing = { id: webhookId, name: removed.name };
      await recordHistory(trx, deps, { kind: 'webhook-removed', thing });
    });
    return {};
  },
};

async function addWebhook(
  context: WriteContext,
  { name, format, url, token = '', events }: Input<'addWebhook'>,
): Promise<Row> {
  return await inTransaction(context, async trx => {
    if ((await countRows(trx.selectFrom('webhooks'))) >= maxWebhooks)
      throw new AppError('failed-precondition', `There are ${maxWebhooks} webhooks. Remove one first.`);
    const row = await trx
      .insertInto('webhooks')
      .values({
        ...{ id: createId(), name, format, url, token, events: [...new Set(events)].join(' ') },
        created_at: context.clock(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const thing = { id: row.id, name };
    await recordHistory(trx, context, { kind: 'webhook-added', thing, after: new URL(url).host });
    return row;
  });
}

async function describe(db: Kysely<Tables>, row: Row): Promise<Output<'getWebhooks'>['webhooks'][number]> {
  const deliveries = await db
    .selectFrom('mails')
    .select(['id', 'kind', 'state', 'error', 'created_at'])
    .where('webhook_id', '=', row.id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(deliveriesShown)
    .execute();
  return {
    id: row.id,
    name: row.name,
    format: row.format,
    host: new URL(row.url).host,
    events: row.events.split(' ') as WebhookEvent[],
    createdAt: moment(row.created_at),
    deliveries: deliveries.map(({ id, kind, state, error, created_at }) => ({
      ...{ id, event: kind as WebhookEvent, state, error },
      createdAt: moment(created_at),
    })),
  };
}
