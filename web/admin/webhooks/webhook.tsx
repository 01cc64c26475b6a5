import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Output } from '../../../contract/operations.ts';
import { webhookEvents, webhookFormats } from '../../../contract/webhook-names.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { Section } from '../../ui/section.tsx';
import { useAdminOperations } from '../layout.tsx';
import { Log } from '../tables.tsx';

type Webhook = Output<'getWebhooks'>['webhooks'][number];
type Delivery = Webhook['deliveries'][number];

export function WebhookSection({ webhook }: { webhook: Webhook }) {
  const { id, name, format, host, events, deliveries } = webhook;
  const { call, client, report } = useAdminOperations();
  const dialogs = useDialogs();
  const heading = useRef<HTMLHeadingElement>(null);
  const test = useMutation({
    mutationFn: () => call('testWebhook', { webhookId: id }),
    onSuccess: () => report.done(`“${name}” has taken the test.`),
    onError: error => report.failed(`“${name}” has not taken the test.`, error),
  });
  const remove = useMutation({
    mutationFn: () => call('removeWebhook', { webhookId: id }),
    onSuccess: () => report.done(`“${name}” is removed.`),
    onError: error => report.failed(`Failed to remove “${name}”.`, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['getWebhooks'] }),
  });
  const ask = async () => {
    const isSure = await dialogs.confirm(`Remove the webhook “${name}”? Nothing more is sent to it.`, {
      action: 'Remove',
      isDangerous: true,
    });
    if (!isSure) return;
    // The button is removed with its section.
    heading.current?.closest('main')?.querySelector<HTMLElement>('h1')?.focus();
    remove.mutate();
  };
  return (
    <Section title={name} heading={heading}>
      <p className="lead">
        {`${webhookFormats[format]} at ${host}. ${events.map(event => webhookEvents[event]).join(', ')}.`}
      </p>
      {deliveries.length === 0 ? (
        <p className="status">Nothing was sent yet.</p>
      ) : (
        <Deliveries deliveries={deliveries} />
      )}
      <div className="acts">
        <BusyButton aria-label={`Send test to ${name}`} isBusy={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? 'Sending...' : 'Send test'}
        </BusyButton>
        <RowAction verb="Remove" name={name} isDangerous disabled={remove.isPending} onClick={ask} />
      </div>
    </Section>
  );
}

function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <Log
      columns={['Event', 'When', 'Result']}
      entries={deliveries.map(delivery => ({
        id: delivery.id,
        at: delivery.createdAt,
        what: webhookEvents[delivery.event],
        more: resultOf(delivery),
      }))}
    />
  );
}

function resultOf({ state, error }: Delivery): string {
  switch (state) {
    case 'sent':
      return 'Sent';
    case 'queued':
      return error === null ? 'Waiting' : `${error} It is tried again.`;
    case 'dropped':
      return `Not sent. ${error ?? ''}`;
    case 'failed':
      return `Failed for a day. ${error ?? ''}`;
  }
}
