import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Scope } from '../../contract/operation.ts';
import type { Output } from '../../contract/operations.ts';
import { DateTime } from '../app/date.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Field, SelectField } from '../ui/field.tsx';
import { MadeSecret } from '../ui/made-secret.tsx';
import { Notice } from '../ui/notice.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { Section } from '../ui/section.tsx';

type Token = Output<'listAccessTokens'>['tokens'][number];

const lifetimes = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
] as const;

const scopeTexts: Record<Scope, string> = {
  read: 'Read what you may read',
  write: 'Write posts, tags, comments and likes',
  files: 'Store and delete files',
  members: 'See accounts and decide about them',
};
const scopes = Object.keys(scopeTexts) as Scope[];

/** The lifetimes to choose from, up to the site's limit in days. */
function lifetimesWithin(maxDays: number | null): readonly (readonly [string, string])[] {
  if (maxDays === null) return lifetimes;
  const shorter = lifetimes.filter(([days]) => days !== '' && Number(days) < maxDays);
  return [...shorter, [String(maxDays), maxDays === 1 ? 'in a day' : `in ${maxDays} days`]];
}

/** Personal access tokens: which there are, and a new one. */
export function Tokens() {
  const { call, client } = useOperations();
  const { confirm } = useDialogs();
  const title = useRef<HTMLHeadingElement>(null);
  const { tokens, maxDays } = useSuspenseQuery(operationQuery(call, 'listAccessTokens', {})).data;
  const revoke = useMutation({
    mutationFn: (tokenId: string) => call('revokeAccessToken', { tokenId }),
    onSettled: () => client.invalidateQueries({ queryKey: ['listAccessTokens'] }),
  });
  const ask = async ({ id, name }: Token) => {
    const isSure = await confirm(
      `Revoke the token “${name}”? Programs that use it lose access immediately.`,
      { action: 'Revoke', isDangerous: true },
    );
    if (!isSure) return;
    revoke.mutate(id);
    // The focused button is removed with its row.
    title.current?.focus();
  };
  return (
    <Section title="Access tokens" id="tokens-title" heading={title}>
      <p>
        A token lets a program act as you, as far as you allow it. See{' '}
        <a href="/api/docs">how programs use tokens</a>. Changing your password revokes all tokens.
      </p>
      {revoke.isError && <Notice text={revoke.error.message} />}
      {tokens.length > 0 && (
        <ul>
          {tokens.map(token => (
            <TokenItem key={token.id} token={token} isBusy={revoke.isPending} onRevoke={() => ask(token)} />
          ))}
        </ul>
      )}
      <NewToken maxDays={maxDays} />
    </Section>
  );
}

type TokenItemProps = { token: Token; isBusy: boolean; onRevoke(): void };

function TokenItem({ token, isBusy, onRevoke }: TokenItemProps) {
  return (
    <li className="entry">
      <strong>{token.name}</strong>
      <p>{token.scopes.map(scope => scopeTexts[scope]).join('; ')}.</p>
      <p>
        Created <DateTime moment={token.createdAt} />,{' '}
        {token.lastUsedAt === null ? (
          <span>never used</span>
        ) : (
          <span>
            last used <DateTime moment={token.lastUsedAt} withTime />
            {token.lastUsedFrom !== null && <span>{` from ${token.lastUsedFrom}`}</span>}
          </span>
        )}
        {token.expiresAt !== null && (
          <span>
            , expires <DateTime moment={token.expiresAt} />
          </span>
        )}
      </p>
      <RowAction verb="Revoke" name={token.name} isDangerous disabled={isBusy} onClick={onRevoke} />
    </li>
  );
}

function NewToken({ maxDays }: { maxDays: number | null }) {
  const { can } = useViewer();
  const { call, client } = useOperations();
  const [made, setMade] = useState<Output<'createAccessToken'>>();
  const make = useMutation({
    mutationFn: (data: FormData) => {
      const days = fieldText(data, 'expiresInDays');
      return call('createAccessToken', {
        name: fieldText(data, 'name'),
        scopes: scopes.filter(scope => data.getAll('scopes').includes(scope)),
        expiresInDays: days === '' ? null : Number(days),
      });
    },
    onSuccess: answer => {
      setMade(answer);
      return client.invalidateQueries({ queryKey: ['listAccessTokens'] });
    },
  });
  return (
    <>
      {made !== undefined && (
        <MadeSecret
          key={made.token}
          label={`The token “${made.accessToken.name}”`}
          value={made.token}
          byHand="Select the token and copy it."
        />
      )}
      {/* After a token was made, the form is emptied; after a refusal it keeps its values. */}
      <Form key={made?.accessToken.id} sending={make} submit="Create token" buttonClass="button">
        <Field
          name="name"
          label="Token name"
          hint="For example “backup script”"
          autoComplete="off"
          required
          maxLength={100}
        />
        <fieldset className="field">
          <legend>What it may do</legend>
          {scopes.map(scope =>
            scope === 'members' && !can.administer ? null : (
              <label key={scope} className="choice">
                <input type="checkbox" name="scopes" value={scope} defaultChecked={scope === 'read'} />
                {scopeTexts[scope]}
              </label>
            ),
          )}
        </fieldset>
        <SelectField
          name="expiresInDays"
          label="Expires"
          options={lifetimesWithin(maxDays)}
          defaultValue={maxDays === null || maxDays >= 90 ? '90' : String(maxDays)}
        />
      </Form>
    </>
  );
}
