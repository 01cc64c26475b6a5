import { useMutation, useQuery } from '@tanstack/react-query';
import { operationQuery } from '../../app/queries.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { useAdminOperations } from '../layout.tsx';

/** Whether the site requires a second factor of admins. */
export function AdminFactor() {
  const { call, client, report } = useAdminOperations();
  const query = useQuery(operationQuery(call, 'getAdminFactor', {}));
  const isRequired = query.data?.isRequired ?? false;
  const change = useMutation({
    mutationFn: () => call('setAdminFactor', { isRequired: !isRequired }),
    onSuccess: answer => {
      client.setQueryData(operationQuery(call, 'getAdminFactor', {}).queryKey, answer);
      report.done(
        answer.isRequired ? 'Admins need a second factor now.' : 'Admins need no second factor now.',
      );
    },
    onError: error =>
      report.failed(`Failed to ${isRequired ? 'stop requiring' : 'require'} a second factor.`, error),
  });
  return (
    <Section title="Second factor of admins">
      <p className="lead">
        {isRequired
          ? 'Required: an admin without one can do nothing as an admin, not with access tokens either, until they have set it up.'
          : 'Not required. An admin’s account is the site: a code of an app protects it where a password is lost.'}
      </p>
      <div className="acts">
        <BusyButton
          isBusy={change.isPending}
          disabled={query.data === undefined}
          onClick={() => change.mutate()}
        >
          {isRequired ? 'Stop requiring it' : 'Require it'}
        </BusyButton>
      </div>
    </Section>
  );
}
