import { useSuspenseQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { NewWebhook } from './new.tsx';
import { WebhookSection } from './webhook.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(operationQuery(call, 'getWebhooks', {}));
  return { title: 'Webhooks' };
});

/** The webhooks with their last deliveries, and a form for a new one. */
export default function WebhooksPage() {
  return (
    <AdminPage title="Webhooks">
      <Webhooks />
    </AdminPage>
  );
}

function Webhooks() {
  const { webhooks } = useSuspenseQuery(operationQuery(useCall(), 'getWebhooks', {})).data;
  return (
    <>
      <p>
        A webhook tells a chat, a phone or a program when something happens here. It never names a person, and
        a post only if everybody may read it.
      </p>
      {webhooks.map(webhook => (
        <WebhookSection key={webhook.id} webhook={webhook} />
      ))}
      <NewWebhook />
    </>
  );
}
