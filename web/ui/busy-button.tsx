import type { ComponentProps } from 'react';

type BusyButtonProps = Omit<ComponentProps<'button'>, 'type' | 'aria-busy'> & { isBusy: boolean };

/**
 * A button that does nothing while it is busy. It keeps the focus then, which a disabled button would lose.
 */
export function BusyButton({ isBusy, className = 'button', onClick, ...button }: BusyButtonProps) {
  return (
    <button
      {...button}
      type="button"
      className={className}
      aria-busy={isBusy}
      onClick={event => isBusy || onClick?.(event)}
    />
  );
}
