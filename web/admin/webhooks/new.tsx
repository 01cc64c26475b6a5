import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Output } from '../../../contract/operations.ts';
import {
  type WebhookEvent,
  type WebhookFormat,
  webhookEvents,
  webhookFormats,
} from '../../../contract/webhook-names.ts';
import { Form, fieldText } from '../../app/form.tsx';
import { Field, SelectField } from '../../ui/field.tsx';
import { MadeSecret } from '../../ui/made-secret.tsx';
import { Section } from '../../ui/section.tsx';
import { useAdminOperations } from '../layout.tsx';

type Made = Output<'addWebhook'>;

/** What to enter for each service; one without a hint for the token has none. */
const hints: Record<WebhookFormat, { address: string; token?: string }> = {
  ntfy: { address: 'https://ntfy.sh/TOPIC', token: 'Only for a protected topic' },
  telegram: { address: 'https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT' },
  matrix: {
    address: 'https://SERVER/_matrix/client/v3/rooms/ROOM/send/m.room.message',
    token: 'Of the account that writes into the room',
  },
  json: {
    address: 'It is sent JSON by POST, signed as Standard Webhooks',
    token: 'Only if the program asks for one',
  },
};

const isFormat = (text: string): text is WebhookFormat => Object.hasOwn(webhookFormats, text);
const allEvents = Object.keys(webhookEvents) as WebhookEvent[];

export function NewWebhook() {
  const { call, client, report } = useAdminOperations();
  const [format, setFormat] = useState<WebhookFormat>('ntfy');
  const [made, setMade] = useState<Made>();
  const heading = useRef<HTMLHeadingElement>(null);
  const add = useMutation({
    mutationFn: (form: FormData) =>
      call('addWebhook', {
        name: fieldText(form, 'name'),
        format,
        url: fieldText(form, 'url').trim(),
        token: fieldText(form, 'token').trim(),
        events: allEvents.filter(event => form.getAll('events').includes(event)),
      }),
    onSuccess: answer => {
      // The form is replaced, with the pressed button. A secret takes the focus itself.
      heading.current?.focus();
      setMade(answer);
      report.done(`“${answer.webhook.name}” is added.`);
      return client.invalidateQueries({ queryKey: ['getWebhooks'] });
    },
  });
  const { address, token } = hints[format];
  return (
    <Section title="Add a webhook" heading={heading}>
      {made?.webhook.format === 'json' && (
        <MadeSecret
          key={made.secret}
          label={`The signing secret of “${made.webhook.name}”`}
          value={made.secret}
          byHand="Select the secret and copy it."
        />
      )}
      {/* After a webhook was added, the form is emptied; after a refusal it keeps its values. */}
      <Form key={made?.webhook.id} sending={add} submit="Add webhook">
        <SelectField
          name="format"
          label="Service"
          options={Object.entries(webhookFormats)}
          value={format}
          onChange={({ currentTarget: { value } }) => isFormat(value) && setFormat(value)}
        />
        <Field
          name="name"
          label="Name"
          hint="For example “Family chat”"
          autoComplete="off"
          required
          maxLength={100}
        />
        <Field
          name="url"
          label="Address"
          hint={address}
          type="url"
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={2_000}
        />
        {token !== undefined && (
          <Field
            name="token"
            label="Access token (optional)"
            hint={token}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={1_000}
          />
        )}
        <fieldset className="field">
          <legend>Events</legend>
          {allEvents.map(event => (
            <label key={event} className="choice">
              <input type="checkbox" name="events" value={event} defaultChecked={event === 'post'} />
              {webhookEvents[event]}
            </label>
          ))}
        </fieldset>
      </Form>
    </Section>
  );
}
