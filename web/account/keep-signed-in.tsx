import { useId } from 'react';

const name = 'keepSignedIn';

/** Whether the session stays on this device; the server takes it from the form of a browser without scripts, too. */
export function KeepSignedIn() {
  const hint = useId();
  return (
    <div className="field">
      <label className="choice">
        <input type="checkbox" name={name} defaultChecked aria-describedby={hint} /> Keep me signed in
      </label>
      <p className="hint" id={hint}>
        Uncheck it on a device that others use: you are then signed out when you close the browser, or after a
        day.
      </p>
    </div>
  );
}

export const keepsSignedIn = (form: FormData) => form.has(name);
