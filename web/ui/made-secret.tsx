import { useEffect, useId, useRef } from 'react';
import { CopyActions } from './copy-actions.tsx';

type MadeSecretProps = {
  label: string;
  value: string;
  /** What the reader can do if the browser does not copy. */
  byHand: string;
};

/**
 * Shows a secret that was just made, which can never be read again, selected for copying. Its React key is
 * the secret, so that the next one is selected, too.
 */
export function MadeSecret({ label, value, byHand }: MadeSecretProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <div className="notice good form narrow">
      <div className="field">
        <label htmlFor={id}>{label}: copy it now, it won’t be shown again</label>
        <input ref={field} id={id} className="input" value={value} readOnly spellCheck={false} />
      </div>
      <CopyActions text={value} byHand={byHand} />
    </div>
  );
}
