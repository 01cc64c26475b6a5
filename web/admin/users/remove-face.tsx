import { useDialogs } from '../../ui/dialogs.tsx';
import type { Action } from './action.ts';
import type { User } from './query.ts';

/** The button that removes a member's picture; nothing if there is none. */
export function RemoveFace({ user, onAct }: { user: User; onAct(action: Action): void }) {
  const dialogs = useDialogs();
  if (user.face === null) return null;
  const remove = async () => {
    const text = `Remove the picture of ${user.username}? They can choose another.`;
    if (!(await dialogs.confirm(text, { action: 'Remove', isDangerous: true }))) return;
    onAct({
      failure: 'Failed to remove the picture of',
      success: 'has no picture any more',
      expected: { ...user, face: null },
      send: call => call('removeFace', { userId: user.id }),
    });
  };
  return (
    <button
      type="button"
      className="quiet danger"
      aria-label={`Remove picture: ${user.username}`}
      onClick={remove}
    >
      Remove picture
    </button>
  );
}
