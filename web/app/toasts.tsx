import {
  createContext,
  type FocusEvent,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';

/** One sentence about what has just happened, with links and buttons for what can be done now. */
type Toast = {
  text: string;
  actions?: ReactNode;
  /** Stays until it is dismissed, because the reader needs it. */
  stays?: boolean;
};

const ToastContext = createContext<(toast: Toast | null) => void>(() => {});

/** How long it stays, in milliseconds, unless somebody is about to use it. */
const shownMs = 8_000;

/**
 * Returns a function that shows a toast, also on the page that is opened next; null removes it, unless it
 * stays.
 */
export function useToast(): (toast: Toast | null) => void {
  return use(ToastContext);
}

type Shown = Toast & { key: number; shownFor: number };

type ToastsProviderProps = {
  /** A key of the reader: one reader's toasts are not shown to the next. */
  shownFor: number;
  children: ReactNode;
};

/** The container of toasts. Always there, because a screen reader announces only changes in it. */
export function ToastsProvider({ shownFor, children }: ToastsProviderProps) {
  const [last, setLast] = useState<Shown | null>(null);
  const [isPointed, setPointed] = useState(false);
  const { region, isFocused, leave, ...focus } = useFocusWithin();
  const shown = last?.shownFor === shownFor ? last : null;
  const show = useCallback(
    (toast: Toast | null) => {
      leave();
      setPointed(false);
      setLast(before => {
        if (toast === null) return before?.stays ? before : null;
        return { ...toast, shownFor, key: (before?.key ?? 0) + 1 };
      });
    },
    [leave, shownFor],
  );
  const close = () => {
    leave();
    setPointed(false);
    setLast(null);
  };
  const isHeld = isPointed || isFocused || shown?.stays;
  useEffect(() => {
    if (shown === null || isHeld) return undefined;
    const timer = setTimeout(() => setLast(null), shownMs);
    return () => clearTimeout(timer);
  }, [shown, isHeld]);
  return (
    <ToastContext value={show}>
      {children}
      <div ref={region} className="toasts" aria-live="polite">
        {shown !== null && (
          // biome-ignore lint/a11y/useKeyWithClickEvents: a key pressed on a link is a click
          <div
            key={shown.key}
            className="toast"
            role="status"
            aria-live="off"
            // A link leads to what the toast speaks of, which it would cover there.
            onClick={({ target }) =>
              !shown.stays && target instanceof Element && target.closest('a') && close()
            }
            onPointerEnter={() => setPointed(true)}
            onPointerLeave={() => setPointed(false)}
            {...focus}
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

/** Whether the focus is within a region that may be removed. `leave` returns it to where it came from. */
function useFocusWithin() {
  const region = useRef<HTMLDivElement>(null);
  const before = useRef<EventTarget | null>(null);
  const [isFocused, setFocused] = useState(false);
  const leave = useCallback(() => {
    setFocused(false);
    if (!region.current?.contains(document.activeElement)) return;
    const origin = before.current instanceof HTMLElement && before.current.isConnected && before.current;
    (origin || document.getElementById('main'))?.focus({ preventScroll: true });
  }, []);
  return {
    region,
    isFocused,
    leave,
    onFocus: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
      setFocused(true);
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setFocused(false);
    },
  };
}
