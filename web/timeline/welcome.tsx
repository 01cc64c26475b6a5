import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { useSettings, useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { endWelcome } from '../ui/welcome.ts';

/** Welcomes a reader who has just joined, and offers new posts by mail if the site sends any. */
export default function Welcome() {
  const { user } = useViewer();
  const { sendsMail, title } = useSettings();
  const [isOver, setOver] = useState(false);
  if (user === null || isOver) return null;
  const end = () => {
    endWelcome();
    // Before the buttons are removed, so that the focus is not lost.
    document.getElementById('main')?.focus({ preventScroll: true });
    setOver(true);
  };
  if (sendsMail) return <MailCard name={user.name} onEnd={end} />;
  return (
    <section className="first-steps" aria-labelledby="welcome-title">
      <h2 id="welcome-title">
        Welcome to <bdi>{title}</bdi>.
      </h2>
      <div className="acts">
        <button type="button" className="quiet" onClick={end}>
          Close
        </button>
      </div>
    </section>
  );
}

function MailCard({ name, onEnd }: { name: string; onEnd(): void }) {
  const { call, client } = useOperations();
  const toast = useToast();
  const subscribe = useMutation({
    mutationFn: () => call('setSubscription', { subscribed: true }),
    onSuccess: answer => {
      client.setQueryData(operationQuery(call, 'getSubscription', {}).queryKey, answer);
      const { email, waits } = answer;
      toast(
        waits
          ? { text: `New posts are sent to ${email} once you open the link that we sent there.`, stays: true }
          : { text: `New posts are sent to ${email}. You can change that under your name, at the top.` },
      );
      onEnd();
    },
  });
  return (
    <section className="first-steps" aria-labelledby="welcome-title">
      <h2 id="welcome-title">
        Welcome, <bdi>{name}</bdi>. Get new posts by mail?
      </h2>
      <div className="acts">
        <BusyButton
          className="button primary"
          isBusy={subscribe.isPending}
          onClick={() => subscribe.mutate()}
        >
          Yes, please
        </BusyButton>
        <button type="button" className="quiet" onClick={onEnd}>
          Not now
        </button>
      </div>
      {subscribe.isError && (
        <p role="alert" className="notice bad">
          Failed to update subscription. Please try again.
        </p>
      )}
    </section>
  );
}
