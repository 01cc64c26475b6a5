import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { invitationLimits } from '../../../contract/constants.ts';
import type { Input, Output } from '../../../contract/operations.ts';
import { operationQuery, useCall, useOperations } from '../../app/queries.tsx';
import { useSettings } from '../../app/site.tsx';
import { amount } from '../../ui/amount.ts';
import { Field, SelectField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { onForm } from '../../ui/on-form.ts';
import { Section } from '../../ui/section.tsx';
import { EffectText, usePreview } from '../preview.tsx';
import { TagPicker, useNamedTags } from '../tag-picker.tsx';
import { MadeInvitations } from './made.tsx';
import { readRecipients } from './recipients.ts';

const lifetimes = [
  ['7', 'in a week'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
] as const;

type Whom = 'group' | 'each';
type NewInvitation = Pick<Input<'createInvitations'>, 'for' | 'expiresInDays'>;

/** Invites people: with one link for several, or each by email address. */
export function NewInvitations({ tags }: { tags: readonly string[] }) {
  const { call, client } = useOperations();
  /** The last result. */
  const [made, setMade] = useState<Output<'createInvitations'>>();
  /** How often invitations were made. */
  const [times, setTimes] = useState(0);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [whom, setWhom] = useState<Whom>('group');
  const named = useNamedTags();
  const make = useMutation({
    mutationFn: (invitation: NewInvitation) => call('createInvitations', { ...invitation, ...named(chosen) }),
    onSuccess: answer => {
      setMade(answer);
      setTimes(before => before + 1);
      return client.invalidateQueries({ queryKey: ['listInvitations'] });
    },
  });
  return (
    <>
      {made !== undefined && <MadeInvitations key={times} {...made} />}
      <Section title="Invite somebody">
        <p className="lead">
          People who join by an invitation are approved at once, with the tags that you choose here.
        </p>
        {make.isError && <Notice text={make.error.message} />}
        <InvitationForm
          // Emptied after success, but for whom it is and the tags; after a refusal it keeps its values.
          key={times}
          tags={tags}
          whom={whom}
          onWhom={setWhom}
          chosen={chosen}
          onChoose={setChosen}
          isBusy={make.isPending}
          onSend={make.mutate}
        />
      </Section>
    </>
  );
}

type InvitationFormProps = {
  tags: readonly string[];
  whom: Whom;
  onWhom(whom: Whom): void;
  chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
  isBusy: boolean;
  onSend(invitation: NewInvitation): void;
};

function InvitationForm({ tags, whom, onWhom, chosen, onChoose, isBusy, onSend }: InvitationFormProps) {
  const id = useId();
  const { sendsMail } = useSettings();
  const each = useRef<HTMLInputElement>(null);
  // It may have been chosen before the page was hydrated.
  useEffect(() => {
    if (each.current?.checked) onWhom('each');
  }, [onWhom]);
  const [list, setList] = useState('');
  const { recipients, wrong } = readRecipients(list);
  const { words, isUncertain } = useNewMemberPreview(chosen, true);
  const isWrong = whom === 'each' && (wrong.length > 0 || recipients.length > invitationLimits.maxRecipients);
  const send = (form: FormData) => {
    if (isBusy || isUncertain || isWrong) return;
    const name = String(form.get('name') ?? '').trim();
    onSend({
      expiresInDays: Number(form.get('days')),
      for: whom === 'each' ? recipients : { uses: Number(form.get('uses')), ...(name !== '' && { name }) },
    });
  };
  return (
    <form className="form narrow" onSubmit={onForm(send)}>
      <fieldset className="field">
        <legend>Invite</legend>
        <label className="choice">
          <input type="radio" name="whom" checked={whom === 'group'} onChange={() => onWhom('group')} />
          several people by one link
        </label>
        <label className="choice">
          <input
            ref={each}
            type="radio"
            name="whom"
            checked={whom === 'each'}
            onChange={() => onWhom('each')}
          />
          people by their addresses
        </label>
      </fieldset>
      {whom === 'group' ? (
        <LinkFields />
      ) : (
        <Recipients
          sendsMail={sendsMail}
          list={list}
          onChange={setList}
          wrong={wrong}
          count={recipients.length}
        />
      )}
      <div className="field">
        <span>Choose the tags that they may read</span>
        <TagPicker label="Tags that they may read" listed={tags} chosen={chosen} onChange={onChoose} />
        <EffectText id={`${id}-effect`} words={words} />
      </div>
      <SelectField
        name="days"
        label="Ends"
        options={lifetimes}
        defaultValue={String(invitationLimits.days)}
      />
      <div className="acts">
        <button
          type="submit"
          className="button primary"
          aria-busy={isBusy}
          aria-describedby={`${id}-effect`}
          disabled={isUncertain}
        >
          {whom === 'group' ? 'Create link' : sendsMail ? 'Send invitations' : 'Create links'}
        </button>
      </div>
    </form>
  );
}

function LinkFields() {
  return (
    <>
      <Field
        name="name"
        label="Name of the link"
        hint="Optional, such as “Choir”: only admins see it"
        maxLength={invitationLimits.nameMaxCharacters}
        autoComplete="off"
      />
      <Field
        name="uses"
        type="number"
        label="People who may join by it"
        min={1}
        max={invitationLimits.maxUses}
        defaultValue={10}
        required
      />
    </>
  );
}

type RecipientsProps = {
  sendsMail: boolean;
  list: string;
  onChange(list: string): void;
  wrong: readonly string[];
  count: number;
};

function Recipients({ sendsMail, list, onChange, wrong, count }: RecipientsProps) {
  const id = useId();
  const error =
    wrong.length > 0
      ? `${wrong.slice(0, 3).join(', ')} ${wrong.length === 1 ? 'is not an email address' : 'are not email addresses'}.`
      : count > invitationLimits.maxRecipients
        ? `At most ${invitationLimits.maxRecipients} people can be invited at once; these are ${count}.`
        : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>Addresses</label>
      <textarea
        id={id}
        className="input"
        name="addresses"
        rows={4}
        required
        spellCheck={false}
        autoComplete="off"
        placeholder="Ann Kay &lt;ann@example.org&gt;"
        value={list}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={`${id}-hint`}
        onChange={event => onChange(event.target.value)}
      />
      <p className={error === undefined ? 'hint' : 'error'} id={`${id}-hint`} role="status">
        {error ??
          `One per line, with or without a name. ${sendsMail ? 'Each person gets an email with a link of their own, and needs no password.' : 'This site does not send email: you get a link for each person, to pass on.'}`}
      </p>
    </div>
  );
}

/** The posts that people who join with these tags could read. */
export function useNewMemberPreview(tags: readonly string[], isAsked: boolean) {
  const question = operationQuery(useCall(), 'previewNewMember', { tags: [...tags] });
  const describe = ({ gained }: Output<'previewNewMember'>) =>
    gained === 0
      ? ['People who join read no more posts than visitors']
      : [`People who join read ${amount(gained, 'post')} that visitors do not see`];
  return usePreview(question, isAsked, describe, 'Failed to check what they could read.');
}
