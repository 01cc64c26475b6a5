import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';

/** One sentence about what has just happened, with what can be done now: links and buttons. */
type Toast = { text: string; actions?: ReactNode };

const ToastContext = createContext<(toast: Toast) => void>(() => {});

/** How long it stays, in milliseconds, unless somebody is about to use it. */
const shownMs = 8_000;

/** Returns the function that says what has happened, also on the page that is opened next. */
export function useToast(): (toast: Toast) => void {
  return use(ToastContext);
}

/**
 * The place where toasts appear. It is always there, because a screen reader announces only what changes in
 * it.
 */
export function ToastsProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<(Toast & { key: number }) | null>(null);
  const [isHeld, setHeld] = useState(false);
  const show = useMemo(
    () => (toast: Toast) => setShown(before => ({ ...toast, key: (before?.key ?? 0) + 1 })),
    [],
  );
  const close = () => {
    setShown(null);
    setHeld(false);
  };
  useEffect(() => {
    if (shown === null || isHeld) return undefined;
    const timer = setTimeout(() => setShown(null), shownMs);
    return () => clearTimeout(timer);
  }, [shown, isHeld]);
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" aria-live="polite">
        {shown !== null && (
          <div
            key={shown.key}
            className="toast"
            role="status"
            aria-live="off"
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={() => setHeld(false)}
            onFocus={() => setHeld(true)}
            onBlur={() => setHeld(false)}
          >
            <p>{shown.text}</p>
            {shown.actions}
            <button type="button" className="quiet" onClick={close}>
              Dismiss
            </button>
          </div>
        )}
      </div>
    </ToastContext>
  );
}
