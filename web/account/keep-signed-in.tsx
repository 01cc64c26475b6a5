import { useEffect, useEffectEvent, useId, useRef } from 'react';

const name = 'keepSignedIn';

type KeepSignedInProps = {
  /** Called with the choice, where other ways to log in than the form depend on it. */
  onChange?(isKept: boolean): void;
};

/** Whether the session stays on this device; the server takes it from the form of a browser without scripts, too. */
export function KeepSignedIn({ onChange }: KeepSignedInProps) {
  const hint = useId();
  const box = useRef<HTMLInputElement>(null);
  const tell = useEffectEvent(() => onChange?.(box.current?.checked ?? true));
  // Somebody may have chosen before scripts ran.
  useEffect(() => tell(), []);
  return (
    <div className="field">
      <label className="choice">
        <input
          ref={box}
          type="checkbox"
          name={name}
          defaultChecked
          onChange={event => onChange?.(event.currentTarget.checked)}
          aria-describedby={hint}
        />{' '}
        Keep me signed in
      </label>
      <p className="hint" id={hint}>
        Uncheck it on a device that others use: you are then signed out when you close the browser, or after a
        day.
      </p>
    </div>
  );
}

export const keepsSignedIn = (form: FormData) => form.has(name);
