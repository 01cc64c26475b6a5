import { useMutation } from '@tanstack/react-query';
import { decisionsAtOnce } from '../../../contract/constants.ts';
import { useOperations } from '../../app/queries.tsx';
import { useSettings } from '../../app/site.tsx';
import { useToast } from '../../app/toasts.tsx';
import { amount, number } from '../../ui/amount.ts';
import { useDialogs } from '../../ui/dialogs.tsx';
import { useReport } from '../layout.tsx';
import { EffectText } from '../preview.tsx';
import { TagPicker } from '../tag-picker.tsx';
import { quoted } from './action.ts';
import type { Choices } from './choices.ts';
import { listOf, placeUser, reloadRequests, type User, type UserList } from './query.ts';

type Decision = 'approve' | 'deny';

type BatchBarProps = {
  list: UserList;
  /** All users in the list, with or without a decision. */
  users: readonly User[];
  choices: Choices;
  /** The names in the tag list. */
  tags: readonly string[];
  /** The id of the heading that gets the focus afterwards. */
  headingId: string;
};

const names = (users: readonly User[]) => new Intl.ListFormat('en').format(users.map(user => user.username));

/** Decides about several pending users: each is approved with the tags chosen in their own row. */
export function BatchBar({ list, users, choices, tags, headingId }: BatchBarProps) {
  const dialogs = useDialogs();
  const decide = useDecideUsers();
  const { sendsMail } = useSettings();
  const undecided = users.filter(user => listOf(user) === list);
  const selected = undecided.filter(choices.isSelected);
  if (undecided.length < 2 && selected.length === 0) return null;
  const isTooMany = selected.length > decisionsAtOnce;
  const ask = async (decision: Decision) => {
    const isSure = await dialogs.confirm(
      decision === 'approve'
        ? `Approve ${amount(selected.length, 'user')}?`
        : `Deny ${amount(selected.length, 'user')}? They can read what visitors can read.`,
      {
        action: decision === 'approve' ? 'Approve' : 'Deny',
        isDangerous: decision === 'deny',
        details: decision === 'approve' ? whoGetsWhat(selected, choices, sendsMail) : [names(selected)],
      },
    );
    if (!isSure) return;
    document.getElementById(headingId)?.focus();
    choices.select(selected, false);
    decide.mutate({ decision, users: selected, choices });
  };
  const isDisabled = selected.length === 0 || isTooMany || decide.isPending;
  return (
    <>
      <div className="acts batch">
        <label className="choice">
          <input
            type="checkbox"
            checked={selected.length === undecided.length}
            onChange={event => choices.select(undecided, event.currentTarget.checked)}
          />
          Select all {number(undecided.length)} on this page
        </label>
        <button type="button" className="quiet" disabled={isDisabled} onClick={() => ask('approve')}>
          Approve selected
        </button>
        <button type="button" className="quiet danger" disabled={isDisabled} onClick={() => ask('deny')}>
          Deny selected
        </button>
        <span className="sub" role="status">
          {isTooMany
            ? `${selected.length} selected; at most ${decisionsAtOnce} are decided about at once.`
            : selected.length > 0 && `${selected.length} selected`}
        </span>
      </div>
      {undecided.length > 1 && <TagsForAll users={selected} choices={choices} tags={tags} />}
    </>
  );
}

/**
 * Chooses tags for several users together; tags that only some of them have stay in their rows. Always
 * visible: the rows below would move under the pointer when the second user is selected.
 */
function TagsForAll({ users, choices, tags }: Pick<BatchBarProps, 'users' | 'choices' | 'tags'>) {
  const label = 'Tags for all selected';
  const areSeveral = users.length > 1;
  const common = tags.filter(tag => areSeveral && users.every(user => choices.tagsOf(user).includes(tag)));
  return (
    <div className="acts batch">
      <span className="sub" aria-hidden="true">
        {label}
      </span>
      <TagPicker
        label={label}
        listed={tags}
        chosen={common}
        isDisabled={!areSeveral}
        onChange={chosen => {
          for (const user of users) {
            const others = choices.tagsOf(user).filter(tag => !common.includes(tag));
            choices.choose(user, [...new Set([...others, ...chosen])]);
          }
        }}
      />
      {/* Announced once for all of them: the effects in their rows are silent meanwhile. */}
      <EffectText words={common.length > 0 ? [batchWords(users.length, common)] : []} />
    </div>
  );
}

const batchWords = (users: number, tags: readonly string[]) =>
  `All ${users} selected users get ${quoted(tags)}; their rows show what becomes visible`;

/**
 * Lists who is approved with which tags, a line for each combination, and, if the site sends mail, whose
 * address is not confirmed.
 */
function whoGetsWhat(users: readonly User[], choices: Choices, sendsMail: boolean): string[] {
  const list = new Intl.ListFormat('en');
  const byTags = Map.groupBy(users, user => list.format(choices.tagsOf(user).toSorted()));
  const unconfirmed = users.filter(user => sendsMail && !user.isEmailConfirmed);
  return [
    ...[...byTags].map(([tags, some]) => `${names(some)}: ${tags === '' ? 'no tags of their own' : tags}`),
    ...(unconfirmed.length > 0 ? [`Not confirmed: the email address of ${names(unconfirmed)}`] : []),
  ];
}

const toldWords = (mailed: readonly User[]) =>
  mailed.length === 0 ? '' : ` Already told of the approval by email: ${names(mailed)}.`;

/** Undoes decisions one after another; what fails is told by name. */
function useUndoAll() {
  const { call, client } = useOperations();
  const toast = useToast();
  return useMutation({
    mutationFn: async (users: readonly User[]) => {
      toast({ text: 'Undoing...', stays: true });
      const [failed, mailed]: [User[], User[]] = [[], []];
      for (const user of users) {
        await call('undoDecision', { userId: user.id, version: user.version }).then(
          answer => {
            placeUser(client, answer.user);
            if (answer.wasMailed) mailed.push(user);
          },
          () => failed.push(user),
        );
      }
      return { failed, mailed };
    },
    onSuccess: async ({ failed, mailed }, users) => {
      // In a toast also what failed: the admin may be on another page by now.
      const text =
        failed.length === 0
          ? `${amount(users.length, 'decision is', 'decisions are')} undone.`
          : `Failed to undo the decision about ${names(failed)}.`;
      toast({ text: text + toldWords(mailed), stays: failed.length > 0 });
      void reloadRequests(client);
      if (failed.length > 0) await client.invalidateQueries({ queryKey: ['getUsers'] });
    },
  });
}

function useDecideUsers() {
  const { call, client } = useOperations();
  const report = useReport();
  const undoAll = useUndoAll();
  type Sent = { decision: Decision; users: readonly User[]; choices: Choices };
  const failed = ({ decision, users }: Pick<Sent, 'decision' | 'users'>) =>
    `Failed to ${decision} ${names(users)}.`;
  return useMutation({
    mutationFn: async ({ decision, users, choices }: Sent) => {
      await client.cancelQueries({ queryKey: ['getUsers'] });
      return await call('decideUsers', {
        decisions: users.map(user => ({
          userId: user.id,
          decision,
          version: user.version,
          ...(decision === 'approve' && choices.namedTagsOf(user)),
        })),
      });
    },
    onSuccess: async ({ results }, { decision, users }) => {
      for (const { user } of results) if (user !== null) placeUser(client, user);
      void reloadRequests(client);
      const refused = results.filter(({ failure }) => failure !== null);
      if (refused.length === 0) {
        const done = decision === 'approve' ? 'approved' : 'denied';
        return report.done(
          users.length === 1 ? `1 user is ${done}.` : `${users.length} users are ${done}.`,
          <button
            type="button"
            className="quiet"
            onClick={() => undoAll.mutate(results.flatMap(({ user }) => user ?? []))}
          >
            {users.length === 1 ? 'Undo' : 'Undo all'}
          </button>,
        );
      }
      const ids = new Set(refused.map(({ userId }) => userId));
      const which = users.filter(({ id }) => ids.has(id));
      const reasons = new Set(refused.map(({ failure }) => failure));
      report.failed([failed({ decision, users: which }), ...reasons].join(' '), undefined);
      await client.invalidateQueries({ queryKey: ['getUsers'] });
    },
    onError: async (error, { decision, users, choices }) => {
      choices.select(users, true);
      report.failed(failed({ decision, users }), error);
      await client.invalidateQueries({ queryKey: ['getUsers'] });
    },
  });
}
