import { useEffect, useId, useRef } from 'react';
import { CopyActions } from '../ui/copy-actions.tsx';

/** Shows a secret address that was just made, the only time that it can be read. */
export function MadeAddress({ of, address }: { of: string; address: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <div className="notice good form narrow">
      <div className="field">
        <label htmlFor={id}>The address of {of}: copy it now, it won’t be shown again</label>
        <input ref={field} id={id} className="input" value={address} readOnly spellCheck={false} />
      </div>
      <CopyActions text={address} byHand="Select the address and copy it." />
    </div>
  );
}
