import type { LucideIcon } from 'lucide-react';

type ActProps = { name: string; icon: LucideIcon; isOff?: boolean; onAct(): void };

/** A button that keeps the focus when it is disabled at the end of the list. */
export function Act({ name, icon: Icon, isOff = false, onAct }: ActProps) {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      aria-disabled={isOff || undefined}
      onClick={() => isOff || onAct()}
    >
      <Icon aria-hidden="true" />
    </button>
  );
}
