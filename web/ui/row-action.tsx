import type { ComponentProps } from 'react';
import { BusyButton } from './busy-button.tsx';

type RowActionProps = Omit<ComponentProps<'button'>, 'type' | 'className' | 'aria-label' | 'aria-busy'> & {
  verb: string;
  /** The object of the action, for the accessible name, so that buttons with the same word differ. */
  name: string;
  /** The accessible name, if it is not the verb and then the name. */
  label?: string;
  isDangerous?: boolean;
  isBusy?: boolean;
};

/** A button in a row that acts on the row's object. */
export function RowAction({
  verb,
  name,
  label = `${verb} ${name}`,
  isDangerous = false,
  isBusy = false,
  ...button
}: RowActionProps) {
  return (
    <BusyButton
      {...button}
      className={isDangerous ? 'quiet danger' : 'quiet'}
      aria-label={label}
      isBusy={isBusy}
    >
      {verb}
    </BusyButton>
  );
}
