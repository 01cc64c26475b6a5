import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { deviceName } from '../../contract/accounts/device-name.ts';
import { passkeyNameMaxCharacters } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { DateTime } from '../app/date.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { describeFailure, hasPasskeys, makePasskey } from '../passkeys/browser.ts';
import { useDialogs } from '../ui/dialogs.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { Section } from '../ui/section.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

type Passkey = Output<'listPasskeys'>['passkeys'][number];

function useShowPasskeys() {
  const client = useQueryClient();
  const { queryKey } = operationQuery(useCall(), 'listPasskeys', {});
  return (answer: Output<'listPasskeys'>) => client.setQueryData(queryKey, answer);
}

/** The reader's passkeys: the list, and a form for a new one. */
export function Passkeys() {
  const call = useCall();
  const { confirm } = useDialogs();
  const title = useRef<HTMLHeadingElement>(null);
  const { passkeys } = useSuspenseQuery(operationQuery(call, 'listPasskeys', {})).data;
  const remove = useMutation({
    mutationFn: (passkeyId: string) => call('removePasskey', { passkeyId }),
    onSuccess: useShowPasskeys(),
  });
  const ask = async ({ id, name }: Passkey) => {
    const isSure = await confirm(
      `Remove the passkey “${name}”? You can no longer log in with it. Your device may go on offering it; delete it there, too.`,
      { action: 'Remove', isDangerous: true },
    );
    if (!isSure) return;
    remove.mutate(id);
    // The focused button is removed with its row.
    title.current?.focus();
  };
  return (
    <Section title="Passkeys" heading={title}>
      <p>
        With a passkey you log in by your finger, your face or the PIN of your device, without a password. It
        works on this site alone, so a page that only looks like this one cannot steal it.
      </p>
      {remove.isError && <Notice text={remove.error.message} />}
      {passkeys.length > 0 && (
        <ul>
          {passkeys.map(passkey => (
            <Entry
              key={passkey.id}
              passkey={passkey}
              isBusy={remove.isPending}
              onRemove={() => ask(passkey)}
            />
          ))}
        </ul>
      )}
      <NewPasskey passkeys={passkeys} onAdded={() => title.current?.focus()} />
    </Section>
  );
}

type EntryProps = { passkey: Passkey; isBusy: boolean; onRemove(): void };

function Entry({ passkey, isBusy, onRemove }: EntryProps) {
  const rename = useRef<HTMLButtonElement>(null);
  const [isRenaming, setRenaming] = useState(false);
  useFocusReturn(rename, isRenaming);
  if (isRenaming) return <RenameForm passkey={passkey} onStop={() => setRenaming(false)} />;
  return (
    <li className="entry">
      <strong>{passkey.name}</strong>
      <p>
        Added <DateTime moment={passkey.createdAt} />,{' '}
        {passkey.lastUsedAt === null ? (
          <span>never used</span>
        ) : (
          <span>
            last used <DateTime moment={passkey.lastUsedAt} withTime />
          </span>
        )}
        <span>{passkey.isSynced ? '. On all devices of your password manager.' : '. On one device.'}</span>
      </p>
      <div className="acts">
        <RowAction ref={rename} verb="Rename" name={passkey.name} onClick={() => setRenaming(true)} />
        <RowAction verb="Remove" name={passkey.name} isDangerous disabled={isBusy} onClick={onRemove} />
      </div>
    </li>
  );
}

function RenameForm({ passkey, onStop }: { passkey: Passkey; onStop(): void }) {
  const call = useCall();
  const show = useShowPasskeys();
  const rename = useMutation({
    mutationFn: (form: FormData) =>
      call('renamePasskey', { passkeyId: passkey.id, name: fieldText(form, 'name') }),
    onSuccess: answer => {
      show(answer);
      onStop();
    },
  });
  return (
    <li className="entry">
      <Form
        sending={rename}
        submit="Save name"
        buttonClass="button"
        after={
          <button type="button" className="quiet" onClick={onStop}>
            Cancel
          </button>
        }
      >
        <NameField label={`Name of “${passkey.name}”`} defaultValue={passkey.name} autoFocus />
      </Form>
    </li>
  );
}

type NewPasskeyProps = { passkeys: readonly Passkey[]; onAdded(): void };

function NewPasskey({ passkeys, onAdded }: NewPasskeyProps) {
  const call = useCall();
  const show = useShowPasskeys();
  const isInBrowser = useIsInBrowser();
  const [added, setAdded] = useState(0);
  const add = useMutation({
    mutationFn: async (form: FormData) => {
      const passkey = await makePasskey(call);
      return await call('addPasskey', { name: fieldText(form, 'name'), passkey });
    },
    onSuccess: answer => {
      show(answer);
      setAdded(count => count + 1);
      // The focused form was replaced.
      onAdded();
    },
  });
  if (isInBrowser && !hasPasskeys()) {
    return (
      <p className="hint">
        {window.isSecureContext
          ? 'This browser does not support passkeys.'
          : 'Passkeys work only where the site is reached over https.'}
      </p>
    );
  }
  // As the list of sessions names this browser, which the server does not know when it writes the page.
  const own = isInBrowser ? deviceName(navigator.userAgent) : '';
  return (
    <Form
      // After a passkey was added, the form begins anew; after a refusal it keeps the name.
      key={`${added} ${isInBrowser}`}
      sending={add}
      submit="Add a passkey"
      submitting="Adding..."
      buttonClass="button"
      done="Passkey added."
      failure={add.error && describeFailure(add.error)}
    >
      <NameField
        label="Passkey name"
        hint="Where you keep it, for example “phone”"
        defaultValue={passkeys.some(({ name }) => name === own) ? '' : own}
      />
    </Form>
  );
}

type NameFieldProps = { label: string; hint?: string; defaultValue?: string; autoFocus?: boolean };

function NameField(field: NameFieldProps) {
  return <Field name="name" autoComplete="off" required maxLength={passkeyNameMaxCharacters} {...field} />;
}
