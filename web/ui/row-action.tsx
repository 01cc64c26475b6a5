import type { ComponentProps } from 'react';

type RowActionProps = Omit<ComponentProps<'button'>, 'type' | 'className' | 'aria-label'> & {
  verb: string;
  /** The object of the action, for the accessible name, so that buttons with the same word differ. */
  name: string;
  /** The accessible name, if it is not the verb and then the name. */
  label?: string;
  isDangerous?: boolean;
  /** Then it does nothing. It keeps the focus, which a disabled button would lose. */
  isBusy?: boolean;
};

/** A button in a row that acts on the row's object. */
export function RowAction({
  verb,
  name,
  label = `${verb} ${name}`,
  isDangerous = false,
  isBusy,
  onClick,
  ...button
}: RowActionProps) {
  return (
    <button
      {...button}
      type="button"
      className={isDangerous ? 'quiet danger' : 'quiet'}
      aria-label={label}
      aria-busy={isBusy}
      onClick={event => isBusy || onClick?.(event)}
    >
      {verb}
    </button>
  );
}
