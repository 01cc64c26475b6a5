import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { useReport } from '../layout.tsx';

const choices = [
  ['', 'Never'],
  ['14', 'After two weeks'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
  ['365', 'After a year'],
] as const;

/** After how many days posts take no more comments. */
export function CloseAfter() {
  const call = useCall();
  const client = useQueryClient();
  const report = useReport();
  const { closeAfterDays } = useSuspenseQuery(operationQuery(call, 'getCommentSettings', {})).data;
  const change = useMutation({
    // One after the other: the last choice holds.
    scope: { id: 'comment-settings' },
    mutationFn: (days: number | null) => call('setCommentSettings', { closeAfterDays: days }),
    onSuccess: answer => {
      client.setQueryData(['getCommentSettings', {}], answer);
      report.done('Saved.');
    },
    onError: error => report.failed('Failed to save this.', error),
  });
  const value = String((change.isPending ? change.variables : closeAfterDays) ?? '');
  const isListed = choices.some(([days]) => days === value);
  return (
    <Section title="Closing">
      <div className="form narrow">
        <SelectField
          name="closeAfterDays"
          label="Close the comments of a post"
          hint="Comments that are there stay. The author of a post can also close its comments on the post itself."
          options={isListed ? choices : [...choices, [value, `After ${value} days`]]}
          value={value}
          onChange={event => change.mutate(event.target.value === '' ? null : Number(event.target.value))}
        />
      </div>
    </Section>
  );
}
