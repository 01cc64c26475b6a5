import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCall } from '../../app/operations.tsx';
import { useSettings } from '../../app/site.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { useReport } from '../layout.tsx';

/** Whether posts name their authors (decisions.md 39). */
export function NamesAuthors() {
  const call = useCall();
  const client = useQueryClient();
  const report = useReport();
  const { namesAuthors } = useSettings();
  const change = useMutation({
    mutationFn: () => call('setNamesAuthors', { namesAuthors: !namesAuthors }),
    onSuccess: async answer => {
      await client.invalidateQueries({ queryKey: ['getSettings'] });
      report.done(answer.namesAuthors ? 'Posts name their authors now.' : 'Posts name no authors now.');
    },
    onError: error => report.failed('Failed to change this.', error),
  });
  return (
    <Section title="Names of authors">
      <p className="lead">
        {namesAuthors
          ? 'Each post names who wrote it, for every reader.'
          : 'No post names its author. It is turned on once somebody besides the first admin publishes.'}
      </p>
      <div className="acts">
        <BusyButton isBusy={change.isPending} onClick={() => change.mutate()}>
          {namesAuthors ? 'Stop naming authors' : 'Name the authors of posts'}
        </BusyButton>
      </div>
    </Section>
  );
}
