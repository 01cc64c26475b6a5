import type { ReactNode } from 'react';
import { useIsInBrowser } from './use-is-in-browser.ts';

type SubmitButtonProps = {
  isBusy: boolean;
  className?: string;
  /** The server takes the form as a browser sends it. */
  isNative?: boolean;
  children: ReactNode;
};

/**
 * The button that sends a form. Busy, it keeps the focus and sends nothing. Before scripts run it is disabled: the
 * browser would send the form by itself, and what was typed would be gone.
 */
export function SubmitButton({
  isBusy,
  className = 'button primary',
  isNative = false,
  children,
}: SubmitButtonProps) {
  const isInBrowser = useIsInBrowser();
  return (
    <button
      type="submit"
      className={className}
      disabled={!isInBrowser && !isNative}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy}
      onClick={event => isBusy && event.preventDefault()}
    >
      {children}
    </button>
  );
}
