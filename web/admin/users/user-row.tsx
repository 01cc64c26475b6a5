import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { DateTime } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { Face } from '../../ui/face.tsx';
import type { Choices } from './choices.ts';
import type { User } from './query.ts';

type RowProps = {
  ref?: RefObject<HTMLTableRowElement | null>;
  user: User;
  moment: string | null;
  /** Set if they can be selected, with a checkbox before the name. */
  choices?: Choices | undefined;
  /** Whether it came back by Undo, whose button had the focus: its first action then gets it. */
  isBack?: boolean;
  children: ReactNode;
};

/** A user's row: who they are, then the columns of the list. */
export function Row({ ref, user, moment, choices, isBack = false, children }: RowProps) {
  const own = useRef<HTMLTableRowElement>(null);
  const row = ref ?? own;
  const isFocusLost = useRef(isBack);
  // After each render: the button is disabled until the effect of the chosen tags is known.
  useEffect(() => {
    if (!isFocusLost.current) return;
    if (document.activeElement === document.body)
      row.current?.querySelector<HTMLElement>('.acts button')?.focus({ preventScroll: true });
    isFocusLost.current = document.activeElement === document.body;
  });
  // If the site sends no mail, hardly anybody can confirm an address, so it is not shown.
  const { sendsMail } = useSettings();
  return (
    <tr ref={row}>
      <th scope="row">
        <Face name={user.name} face={user.face} />
        {choices === undefined ? (
          user.username
        ) : (
          <label className="choice">
            <input
              type="checkbox"
              aria-label={`Select ${user.username}`}
              checked={choices.isSelected(user)}
              onChange={event => choices.select([user], event.currentTarget.checked)}
            />
            {user.username}
          </label>
        )}
        <span className="sub">{user.name}</span>
        {user.isAuthor && <span className="sub caution">Author</span>}
        {user.isMuted && <span className="sub caution">Muted</span>}
      </th>
      <td className="address">
        {user.email}
        {sendsMail && !user.isEmailConfirmed && <span className="sub caution">Email not confirmed</span>}
        {user.deniedBeforeAt !== null && (
          <span className="sub caution">
            Denied before, on <DateTime moment={user.deniedBeforeAt} />
          </span>
        )}
        <span className="sub">
          <DateTime moment={moment} />
        </span>
      </td>
      {children}
    </tr>
  );
}
