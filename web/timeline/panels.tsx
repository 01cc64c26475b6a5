import { useRef, useState } from 'react';
import { useMove } from '../app/navigation.ts';
import { useBackCloses } from '../ui/back-closes.ts';

type PanelName = 'about' | 'search';
type Panel = {
  isOpen: boolean;
  /** The number of the move after which it was opened; undefined if it was open when the page began. */
  move?: number;
  /** The element that opened it, if it is not its button. */
  opener?: HTMLElement;
};

type Panels = {
  isOpen(name: PanelName): boolean;
  /** Whether Back closes it: not if it was open when the page began, as the tags of its search are. */
  isClosedByBack(name: PanelName): boolean;
  /** The element that gets the focus after Back; undefined for the panel's button. */
  openerOf(name: PanelName): HTMLElement | undefined;
  set(name: PanelName, isOpen: boolean, opener?: HTMLElement): void;
};

/** The panels of the timeline, which narrow screens show behind buttons. */
export function usePanels(initial: Record<PanelName, boolean>): Panels {
  const { count } = useMove();
  const [panels, setPanels] = useState<Record<PanelName, Panel>>({
    about: { isOpen: initial.about },
    search: { isOpen: initial.search },
  });
  return {
    isOpen: name => panels[name].isOpen,
    isClosedByBack: name => panels[name].isOpen && panels[name].move === count,
    openerOf: name => panels[name].opener,
    // A single Back over both closes both.
    set: (name, isOpen, opener) =>
      setPanels(before => ({ ...before, [name]: { isOpen, move: count, ...(opener && { opener }) } })),
  };
}

type PanelToggleProps = { id: PanelName; isForPhone?: boolean; panels: Panels };

export function PanelToggle({ id, isForPhone = false, panels }: PanelToggleProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = panels.isOpen(id);
  useBackCloses(panels.isClosedByBack(id), () => {
    const panel = document.getElementById(id);
    if (panel?.contains(document.activeElement)) {
      const opener = panels.openerOf(id);
      (opener?.isConnected ? opener : button.current)?.focus({ preventScroll: true });
    }
    panels.set(id, false);
  });
  return (
    <button
      ref={button}
      type="button"
      className={isForPhone ? 'panel-toggle for-phone' : 'panel-toggle'}
      aria-expanded={isOpen}
      aria-controls={id}
      onClick={() => panels.set(id, !isOpen)}
    >
      {id}
    </button>
  );
}
