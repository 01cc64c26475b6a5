import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { CarePiece, FirstStep } from '../../contract/first-steps.ts';
import { isHydrated } from '../app/hydrated.tsx';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useDialogs } from '../ui/dialogs.tsx';

type StepLink = { words: string; href: string };

/** Each step with the page for it. */
const steps: Record<FirstStep, StepLink> = {
  look: { words: 'Give it a look of its own', href: routes.settings.href() },
  about: { words: 'Say who you are, under About', href: '#about' },
  post: { words: 'Publish something', href: routes.newPost.href() },
  invite: { words: 'Invite somebody', href: routes.invitations.href() },
  care: { words: 'Set up mail and backups', href: routes.mail.href() },
};

/** The step of mail and backups where one of them is set up. */
const lacking: Record<CarePiece, StepLink> = {
  mail: { words: 'Set up mail', href: routes.mail.href() },
  backups: { words: 'Set a time for daily backups', href: routes.settings.href() },
};

export type FirstStepsProps = {
  /** Shows the About panel and focuses it. Back returns to the link that opened it. */
  onAbout(link: HTMLElement): void;
};

type LeavingOut = { step: FirstStep; button: HTMLButtonElement };

/** The first steps of a new site. Disappears once all are done or skipped. */
export default function FirstSteps({ onAbout }: FirstStepsProps) {
  const { call, client } = useOperations();
  const dialogs = useDialogs();
  const asked = operationQuery(call, 'getFirstSteps', {});
  // Steps are done on other pages, so they are fetched again on return. What the server has just rendered is
  // not fetched: somebody who logged out before the scripts were loaded may no longer ask.
  const { data } = useQuery({ ...asked, refetchOnMount: () => isComingBack() && 'always' });
  const leaveOut = useMutation({
    mutationFn: ({ step }: LeavingOut) => call('leaveOutFirstStep', { step }),
    onSuccess: (answer, { button }) => {
      // Before the button is removed, so that the focus is not lost.
      focusBeside(button);
      client.setQueryData(asked.queryKey, answer);
    },
    onError: error => dialogs.alert(`Failed to skip this step. ${error.message}`),
  });
  const open = data?.steps.filter(({ isDone, isLeftOut }) => !isDone && !isLeftOut) ?? [];
  if (data === undefined || open.length === 0) return null;
  const listed = data.steps.filter(({ isLeftOut }) => !isLeftOut);
  const [lack, ...otherLacks] = data.careLacks;
  const linkOf = (name: FirstStep) =>
    name === 'care' && lack !== undefined && otherLacks.length === 0 ? lacking[lack] : steps[name];
  return (
    <section className="first-steps" aria-labelledby="first-steps-title">
      <h2 id="first-steps-title">Your site is there. What comes next?</h2>
      <ul>
        {listed.map(({ name, isDone }) => (
          <li key={name} className={isDone ? 'done' : undefined}>
            <span className="tick" role="img" aria-label={isDone ? 'Done' : 'To do'} />
            {isDone ? <span>{steps[name].words}</span> : <Step {...linkOf(name)} onAbout={onAbout} />}
            {!isDone && (
              <button
                type="button"
                className="quiet"
                aria-label={`Skip: ${linkOf(name).words}`}
                aria-busy={leaveOut.isPending && leaveOut.variables.step === name}
                onClick={({ currentTarget: button }) =>
                  leaveOut.isPending || leaveOut.mutate({ step: name, button })
                }
              >
                Skip
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isComingBack = () => typeof document !== 'undefined' && isHydrated();

/**
 * Moves the focus to the same button of the next step, or of the previous one; after the last, to the posts.
 */
function focusBeside(button: HTMLButtonElement): void {
  if (document.activeElement !== button) return;
  const buttons = [...(button.closest('ul')?.querySelectorAll('button') ?? [])];
  const at = buttons.indexOf(button);
  (buttons[at + 1] ?? buttons[at - 1] ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

function Step({ words, href, onAbout }: StepLink & FirstStepsProps) {
  if (!href.startsWith('#')) return <Link to={href}>{words}</Link>;
  return (
    <a
      href={href}
      onClick={event => {
        event.preventDefault();
        onAbout(event.currentTarget);
      }}
    >
      {words}
    </a>
  );
}
