import { useMutation } from '@tanstack/react-query';
import { reportMaxCharacters } from '../../contract/constants.ts';
import { Form, fieldText } from '../app/form.tsx';
import { useCall } from '../app/queries.tsx';
import { Announced } from '../ui/announced.tsx';
import { LongField } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';

/**
 * Asks the admins for a post that is not shared with the reader. A post that does not exist looks the same.
 */
export function AskForPost({ postId }: { postId: string }) {
  const call = useCall();
  const ask = useMutation({
    mutationFn: (form: FormData) => call('askForPost', { postId, word: fieldText(form, 'word') }),
  });
  return (
    <Section title="Ask for it">
      <Announced className="notice good">
        {ask.isSuccess && 'The admins have been asked. If they share it with you, you get an email.'}
      </Announced>
      {!ask.isSuccess && (
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
