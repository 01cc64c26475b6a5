import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { emailMaxCharacters, proposalsPerMember, reportMaxCharacters } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { DateTime } from '../app/date.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { useSettings, useViewer } from '../app/site.tsx';
import { Field, LongField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { Section } from '../ui/section.tsx';
import { FullNameField } from './account-fields.tsx';
import { Fold } from './fold.tsx';

/** The people whom a member proposes for an invitation. Admins invite people themselves. */
export function Proposals() {
  const { can } = useViewer();
  const { signUp } = useSettings();
  return can.administer ? null : <OwnProposals takesMore={signUp !== 'nobody'} />;
}

/** If the site accepts no new accounts, open proposals can still be withdrawn. */
function OwnProposals({ takesMore }: { takesMore: boolean }) {
  const { proposals } = useSuspenseQuery(operationQuery(useCall(), 'listOwnProposals', {})).data;
  const title = useRef<HTMLHeadingElement>(null);
  if (!takesMore && proposals.length === 0) return null;
  return (
    <Fold title="Propose somebody" isUsed={proposals.length > 0}>
      <Section title="Somebody who should read here" heading={title}>
        <p>
          Tell the admins whom to invite, such as your sister: they decide whether to send an invitation. At
          most {proposalsPerMember} people can wait for an answer.
        </p>
        {proposals.length > 0 && (
          <ul>
            {proposals.map(proposal => (
              <Waiting key={proposal.email} proposal={proposal} onLeave={() => title.current?.focus()} />
            ))}
          </ul>
        )}
        {takesMore && <NewProposal mayPropose={proposals.length < proposalsPerMember} />}
      </Section>
    </Fold>
  );
}

type WaitingProps = { proposal: Output<'listOwnProposals'>['proposals'][number]; onLeave(): void };

function Waiting({ proposal: { email, name, word, createdAt }, onLeave }: WaitingProps) {
  const { call, client } = useOperations();
  const withdraw = useMutation({
    mutationFn: () => call('withdrawProposal', { email }),
    // The focused button is removed with its row.
    onSuccess: onLeave,
    onSettled: () => client.invalidateQueries({ queryKey: ['listOwnProposals'] }),
  });
  return (
    <li className="entry">
      <strong dir="auto">{name}</strong>
      <p>
        {email}, proposed <DateTime moment={createdAt} />
      </p>
      {word !== '' && (
        <p className="words" dir="auto">
          {word}
        </p>
      )}
      {withdraw.isError && <Notice text={withdraw.error.message} />}
      <RowAction
        verb="Withdraw"
        name={name}
        isDangerous
        isBusy={withdraw.isPending}
        onClick={() => withdraw.mutate()}
      />
    </li>
  );
}

function NewProposal({ mayPropose }: { mayPropose: boolean }) {
  const { call, client } = useOperations();
  const form = useRef<HTMLFormElement>(null);
  const full = useRef<HTMLParagraphElement>(null);
  const propose = useMutation({
    mutationFn: (data: FormData) =>
      call('proposePerson', {
        name: fieldText(data, 'name'),
        email: fieldText(data, 'email'),
        word: fieldText(data, 'word'),
      }),
    onSuccess: () => {
      form.current?.reset();
      return client.invalidateQueries({ queryKey: ['listOwnProposals'] });
    },
  });
  // After the last one the form is removed, with its button.
  const isLast = !mayPropose && propose.isSuccess;
  useEffect(() => {
    if (isLast) full.current?.focus();
  }, [isLast]);
  if (!mayPropose) {
    return (
      <p ref={full} className="hint" tabIndex={-1}>
        {isLast && 'The admins have been asked. '}Withdraw one to propose somebody else.
      </p>
    );
  }
  return (
    <Form
      ref={form}
      sending={propose}
      submit="Propose"
      buttonClass="button"
      done="The admins have been asked."
    >
      <FullNameField label="Their name" autoComplete="off" />
      <Field
        name="email"
        type="email"
        label="Their email address"
        maxLength={emailMaxCharacters}
        autoComplete="off"
        required
      />
      <LongField name="word" label="Who they are (optional)" rows={2} maxLength={reportMaxCharacters} />
    </Form>
  );
}
