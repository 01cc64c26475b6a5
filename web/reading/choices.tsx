import { type QueryClient, useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Call } from '../../contract/operations.ts';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { forgetPosts, keepPosts } from '../storage/offline.ts';
import { worksFor } from '../storage/workers.ts';
import { BusyButton } from '../ui/busy-button.tsx';
import { Choice } from '../ui/choice.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';

function readingSettingsQuery(call: Call) {
  return operationQuery(call, 'getReadingSettings', {});
}

/** A reader's choices about their own reading; `isLong`: whether their session outlasts the browser. */
export function ReadingChoices({ isLong }: { isLong: boolean }) {
  const { call, client } = useOperations();
  const { mayKeepOpened, keepsOpened, showsPast } = useSuspenseQuery(readingSettingsQuery(call)).data;
  const forget = useMutation({
    mutationFn: () => call('forgetOpened', {}),
    onSuccess: () => forgetShown(client),
  });
  return (
    <Section title="Reading">
      {forget.isError && <Notice text={forget.error.message} />}
      <SavedChoice
        label="Show posts of this day in earlier years on the timeline"
        name="showsPast"
        isOn={showsPast}
      />
      <OfflineChoice isLong={isLong} />
      {mayKeepOpened && (
        <SavedChoice
          label="Mark what is new since I was here"
          hint="For this the site keeps when you last opened a post. Nobody but you is ever shown it. Turning it off deletes what is kept."
          name="keepsOpened"
          isOn={keepsOpened}
        />
      )}
      {mayKeepOpened && keepsOpened && (
        <div className="acts">
          <BusyButton isBusy={forget.isPending} onClick={() => forget.mutate()}>
            Forget what I have opened
          </BusyButton>
          <span role="status">{forget.isSuccess && 'Forgotten.'}</span>
        </div>
      )}
      <NeedsScripts />
    </Section>
  );
}

type SavedChoiceProps = { label: string; hint?: string; name: 'showsPast' | 'keepsOpened'; isOn: boolean };

function SavedChoice({ label, hint, name, isOn }: SavedChoiceProps) {
  const { call, client } = useOperations();
  const toast = useToast();
  const { queryKey } = readingSettingsQuery(call);
  const change = useMutation({
    // One after the other: each answer has all choices.
    scope: { id: 'reading-settings' },
    mutationFn: (isWanted: boolean) => call('setReadingSettings', { [name]: isWanted }),
    onSuccess: settings => {
      client.setQueryData(queryKey, before => before && { ...before, ...settings });
      forgetShown(client);
      toast({ text: 'Saved.' });
    },
  });
  return (
    <>
      {change.isError && <Notice text={change.error.message} />}
      <Choice
        label={label}
        {...(hint !== undefined && { hint })}
        isOn={change.isPending ? change.variables : isOn}
        onChange={isWanted => change.mutate(isWanted)}
      />
    </>
  );
}

/** The timeline is updated at its next visit. */
function forgetShown(client: QueryClient): void {
  for (const name of ['getOnThisDay', 'getReadingMarks']) client.removeQueries({ queryKey: [name] });
}

const label = 'Keep posts that I open in this browser, to read them offline';

/** Turns reading offline on and off, for this browser. Browsers can keep posts only over HTTPS. */
function OfflineChoice({ isLong }: { isLong: boolean }) {
  const { user } = useViewer();
  const userId = user?.isApproved ? user.id : undefined;
  const [isOn, setOn] = useState<boolean>();
  const toast = useToast();
  useEffect(() => {
    if (userId === undefined || !('serviceWorker' in navigator)) return;
    worksFor('offline', userId).then(setOn, () => {});
  }, [userId]);
  const change = useMutation({
    mutationFn: async (wanted: boolean) => {
      if (userId !== undefined) await (wanted ? keepPosts(userId) : forgetPosts());
      setOn(wanted);
    },
    onSuccess: () => toast({ text: 'Saved.' }),
  });
  if (isOn === undefined) return null;
  if (!isLong && !isOn)
    return <p className="hint">To read posts offline in this browser, log in with “Keep me logged in”.</p>;
  return (
    <>
      {change.isError && <Notice text="This browser does not let the site keep posts." />}
      <Choice
        label={label}
        hint="The last 100 posts, with their pictures. They are deleted when you log out or lose access, as soon as this browser reaches the site. Leave it off on a device that others use."
        isOn={isOn}
        onChange={wanted => change.mutate(wanted)}
      />
    </>
  );
}
