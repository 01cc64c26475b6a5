import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { FirstStep } from '../../contract/first-steps.ts';
import { isHydrated } from '../app/hydrated.tsx';
import { operationQuery, useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';

/** Each step with where it is done. */
const steps: Record<FirstStep, { words: string; href: string }> = {
  look: { words: 'Give it a name and a look', href: routes.settings.href() },
  about: { words: 'Say who you are, under About', href: '#about' },
  post: { words: 'Publish something', href: routes.newPost.href() },
  invite: { words: 'Invite somebody', href: routes.invitations.href() },
  care: { words: 'Set up mail and backups', href: routes.mail.href() },
};

/** What the owner of a new site may want to do first. It goes once all is done or left out. */
export function FirstSteps() {
  const call = useCall();
  const client = useQueryClient();
  const asked = operationQuery(call, 'getFirstSteps', {});
  // Steps are done on other pages, so coming back asks again. What the server has just rendered is not asked
  // for: somebody who logged out before the scripts were loaded may no longer ask.
  const { data } = useQuery({ ...asked, refetchOnMount: () => isComingBack() && 'always' });
  const leaveOut = useMutation({
    mutationFn: (step: FirstStep) => call('leaveOutFirstStep', { step }),
    onSuccess: answer => client.setQueryData(asked.queryKey, answer),
  });
  const open = data?.steps.filter(({ isDone, isLeftOut }) => !isDone && !isLeftOut) ?? [];
  if (data === undefined || open.length === 0) return null;
  const listed = data.steps.filter(({ isLeftOut }) => !isLeftOut);
  return (
    <section className="first-steps" aria-labelledby="first-steps-title">
      <h2 id="first-steps-title">Your site is there. What comes next?</h2>
      <ul>
        {listed.map(({ name, isDone }) => (
          <li key={name} className={isDone ? 'done' : undefined}>
            <span className="tick" role="img" aria-label={isDone ? 'Done' : 'To do'} />
            {isDone ? <span>{steps[name].words}</span> : <Step {...steps[name]} />}
            {!isDone && (
              <button
                type="button"
                className="quiet"
                aria-label={`Leave out: ${steps[name].words}`}
                onClick={() => leaveOut.mutate(name)}
              >
                Leave out
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isComingBack = () => typeof document !== 'undefined' && isHydrated();

function Step({ words, href }: { words: string; href: string }) {
  return href.startsWith('#') ? <a href={href}>{words}</a> : <Link to={href}>{words}</Link>;
}
