import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call, Input } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/operations.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { Choice } from '../ui/choice.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { OfflineChoice } from './offline-choice.tsx';

export function readingSettingsQuery(call: Call) {
  return operationQuery(call, 'getReadingSettings', {});
}

/** A reader's choices about their own reading; `isLong`: whether their session outlasts the browser. */
export function ReadingChoices({ isLong }: { isLong: boolean }) {
  const call = useCall();
  const client = useQueryClient();
  const query = readingSettingsQuery(call);
  const { mayKeepOpened, ...saved } = useSuspenseQuery(query).data;
  // Shown at once, and reverted if it cannot be saved.
  const [chosen, choose] = useState(saved);
  // The timeline is updated at its next visit.
  const forgetShown = () => {
    for (const name of ['getOnThisDay', 'getReadingMarks']) client.removeQueries({ queryKey: [name] });
  };
  const change = useMutation({
    mutationFn: (changed: Input<'setReadingSettings'>) => call('setReadingSettings', changed),
    onSuccess: settings => {
      client.setQueryData(query.queryKey, { ...settings, mayKeepOpened });
      forgetShown();
    },
    onError: () => choose(saved),
  });
  const save = (changed: Partial<typeof chosen>) => {
    choose({ ...chosen, ...changed });
    change.mutate(changed);
  };
  const forget = useMutation({ mutationFn: () => call('forgetOpened', {}), onSuccess: forgetShown });
  return (
    <Section title="Reading">
      {change.isError && <Notice text={change.error.message} />}
      {forget.isError && <Notice text={forget.error.message} />}
      <Choice
        label="Show posts of this day in earlier years on the timeline"
        isOn={chosen.showsPast}
        onChange={showsPast => save({ showsPast })}
      />
      <OfflineChoice isLong={isLong} />
      {mayKeepOpened && (
        <Choice
          label="Mark what is new since I was here"
          hint="For this the site keeps when you last opened a post. Nobody but you is ever shown it. Turning it off deletes what is kept."
          isOn={chosen.keepsOpened}
          onChange={keepsOpened => save({ keepsOpened })}
        />
      )}
      {mayKeepOpened && chosen.keepsOpened && (
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
