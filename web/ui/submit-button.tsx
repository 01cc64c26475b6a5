import type { ReactNode } from 'react';
import { useIsInBrowser } from './use-is-in-browser.ts';

type SubmitButtonProps = {
  isBusy: boolean;
  className?: string;
  /** Whether the server accepts the form as a browser sends it without scripts. */
  isNative?: boolean;
  children: ReactNode;
};

/**
 * The button that sends a form. While busy it keeps the focus and sends nothing. It is disabled before
 * scripts run, because the browser would send the form itself and what was typed would be lost.
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
