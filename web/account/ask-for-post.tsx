import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { reportMaxCharacters } from '../../contract/constants.ts';
import { DateTime } from '../app/date.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { Announced } from '../ui/announced.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { LongField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';

/** Asks the admins for a post that is not shared with the reader, or says when the reader has asked. */
export function AskForPost({ postId }: { postId: string }) {
  const { call, client } = useOperations();
  const title = useRef<HTMLHeadingElement>(null);
  const own = operationQuery(call, 'getOwnRequest', { postId });
  const { data } = useQuery(own);
  const ask = useMutation({
    mutationFn: (form: FormData) => call('askForPost', { postId, word: fieldText(form, 'word') }),
    onSuccess: () => client.invalidateQueries({ queryKey: own.queryKey }),
  });
  const withdraw = useMutation({
    mutationFn: () => call('withdrawRequest', { postId }),
    onSuccess: async () => {
      ask.reset();
      await client.invalidateQueries({ queryKey: own.queryKey });
      title.current?.focus();
    },
  });
  const askedAt = data?.askedAt ?? null;
  useFocusReturn(title, !ask.isSuccess);
  return (
    <Section title="Ask for it" heading={title}>
      <Announced className="notice good">
        {ask.isSuccess && 'The admins have been asked. If they share it with you, you get an email.'}
      </Announced>
      {!ask.isSuccess && askedAt !== null && (
        <>
          <p>
            You asked on <DateTime moment={askedAt} />. If the admins share it with you, you get an email.
          </p>
          <BusyButton isBusy={withdraw.isPending} onClick={() => withdraw.mutate()}>
            Withdraw
          </BusyButton>
        </>
      )}
      {withdraw.isError && <Notice text={`Failed to withdraw it. ${withdraw.error.message}`} />}
      {!ask.isSuccess && askedAt === null && (
        <Form sending={ask} submit="Ask to read it" buttonClass="button">
          <LongField
            name="word"
            label="A message to the admins (optional)"
            rows={2}
            maxLength={reportMaxCharacters}
          />
        </Form>
      )}
    </Section>
  );
}
