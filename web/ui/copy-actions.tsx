import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';

type CopyActionsProps = {
  text: string;
  /** What the reader can do if the browser does not copy. */
  byHand: string;
  /** The accessible name, needed if there are several such buttons. */
  label?: string;
  children?: ReactNode;
};

/** A button that copies a text, other actions beside it, and whether copying worked. */
export function CopyActions({ text, byHand, label, children }: CopyActionsProps) {
  const copy = useMutation({ mutationFn: () => navigator.clipboard.writeText(text) });
  return (
    <div className="acts">
      <button type="button" className="button" aria-label={label} onClick={() => copy.mutate()}>
        Copy
      </button>
      {children}
      <span role="status">
        {copy.isSuccess ? 'Copied.' : copy.isError ? `Copying failed. ${byHand}` : ''}
      </span>
    </div>
  );
}
