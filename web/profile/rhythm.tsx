import { useMutation } from '@tanstack/react-query';
import type { Rhythm, Subscription } from '../../contract/accounts/account.ts';
import type { Input } from '../../contract/operations.ts';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { useSettings } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { SelectField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';

const rhythms: readonly (readonly [Rhythm, string])[] = [
  ['at-once', 'At once'],
  ['daily', 'Once a day'],
  ['weekly', 'Once a week, on Mondays'],
];

const hours = Array.from(
  { length: 24 },
  (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`] as const,
);

function useChange(subscribed = true) {
  const { call, client } = useOperations();
  const toast = useToast();
  const { queryKey } = operationQuery(call, 'getSubscription', {});
  return useMutation({
    // One after the other: each answer has all choices.
    scope: { id: 'subscription' },
    mutationFn: (wish: Omit<Input<'setSubscription'>, 'subscribed'>) =>
      call('setSubscription', { subscribed, ...wish }),
    onSuccess: answer => {
      client.setQueryData(queryKey, answer);
      toast({ text: 'Saved.' });
    },
  });
}

/** How often a subscriber gets new posts, and whether in full. */
export function RhythmChoice({ rhythm, hour, isWhole }: Pick<Subscription, 'rhythm' | 'hour' | 'isWhole'>) {
  const { timeZone } = useSettings();
  const change = useChange();
  // The choice is shown while it is saved.
  const shown = { rhythm, hour, isWhole, ...(change.isPending && change.variables) };
  return (
    <div className="form narrow">
      <SelectField
        name="rhythm"
        label="How often"
        options={rhythms}
        value={shown.rhythm}
        onChange={event => {
          const chosen = rhythms.find(([value]) => value === event.target.value);
          if (chosen !== undefined) change.mutate({ rhythm: chosen[0] });
        }}
      />
      {shown.rhythm !== 'at-once' && (
        <SelectField
          name="hour"
          label="At"
          hint={`The time of this site: ${timeZone.replaceAll('_', ' ')}.`}
          options={hours}
          value={String(shown.hour)}
          onChange={event => change.mutate({ hour: Number(event.target.value) })}
        />
      )}
      {shown.rhythm === 'at-once' && (
        <label className="choice">
          <input
            type="checkbox"
            checked={shown.isWhole}
            onChange={event => change.mutate({ isWhole: event.target.checked })}
          />
          Send the whole text, not only its beginning
        </label>
      )}
      {change.isError && <Notice text={`Failed to save your choice. ${change.error.message}`} />}
    </div>
  );
}

/** The tags that somebody gets mails and notifications about. */
export function TagChoices({ tags, isSubscribed }: Pick<Subscription, 'tags' | 'isSubscribed'>) {
  if (tags.length === 0) return null;
  return (
    <details>
      <summary>Of which tags</summary>
      <fieldset className="field">
        <legend className="hidden">Of which tags</legend>
        {tags.map(tag => (
          <TagChoice key={tag.id} isSubscribed={isSubscribed} {...tag} />
        ))}
        <p className="hint">
          A post is left out if one of its tags is not ticked, also from the notifications of your browsers.
        </p>
      </fieldset>
    </details>
  );
}

type TagChoiceProps = Subscription['tags'][number] & { isSubscribed: boolean };

function TagChoice({ id, name, isWanted, isSubscribed }: TagChoiceProps) {
  const change = useChange(isSubscribed);
  const chosen = change.isPending ? change.variables.tag?.isWanted : isWanted;
  return (
    <>
      <label className="choice">
        <input
          type="checkbox"
          checked={chosen ?? isWanted}
          onChange={event => change.mutate({ tag: { id, isWanted: event.target.checked } })}
        />
        <bdi>{name}</bdi>
      </label>
      {change.isError && <Notice text={`Failed to save your choice. ${change.error.message}`} />}
    </>
  );
}
