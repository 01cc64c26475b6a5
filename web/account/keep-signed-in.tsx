import { useEffect, useEffectEvent, useId, useRef } from 'react';

const name = 'keepSignedIn';

/**
 * The checkbox for staying signed in; the server also reads it from the form of a browser without scripts.
 * `onChange` is called with the choice, for ways to log in other than the form.
 */
export function KeepSignedIn({ onChange }: { onChange?(isKept: boolean): void }) {
  const hint = useId();
  const box = useRef<HTMLInputElement>(null);
  const tell = useEffectEvent(() => onChange?.(box.current?.checked ?? true));
  // The reader may have changed it before scripts ran.
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
        Keep me logged in
      </label>
      <p className="hint" id={hint}>
        Uncheck it on a device that others use: you are then logged out when you close the browser, or after a
        day.
      </p>
    </div>
  );
}

export const keepsSignedIn = (form: FormData) => form.has(name);
