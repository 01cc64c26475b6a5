import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useBackCloses } from './back-closes.ts';

/**
 * A titled panel over the page. Escape, Back and a click outside close it, and the focus returns to where it
 * was. It imports Base UI, so import it only from code that is itself loaded on use.
 */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose(): void;
  children: ReactNode;
}) {
  useBackCloses(isOpen, onClose);
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={open => open || onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="overlay" />
        <BaseDialog.Popup className="dialog">
          <BaseDialog.Title>{title}</BaseDialog.Title>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
