import { type RefObject, useState } from 'react';
import { useCall } from '../../app/queries.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { hasMovedOn } from '../../ui/has-moved-on.ts';
import type { Writing } from '../text/code-mirror.ts';
import { cardOf, type PastedLink } from './link-cards.ts';

type CardOfferProps = { link: PastedLink; writing: RefObject<Writing | null>; onDone(): void };

/** Offers to make a card of a pasted link. Its page is requested only then: some links work once. */
export function CardOffer({ link, writing, onDone }: CardOfferProps) {
  const call = useCall();
  const [state, setState] = useState<'offered' | 'reading' | 'unreadable'>('offered');
  const make = async (button: Element) => {
    setState('reading');
    const page = await call('describeLink', { url: link.url }).then(
      answer => answer.page,
      () => null,
    );
    // The pressed button is removed.
    if (!hasMovedOn(button)) writing.current?.focus();
    if (page === null) return setState('unreadable');
    writing.current?.putCard(link, cardOf(link.url, page));
    onDone();
  };
  return (
    <p className="hint" role="status">
      {state === 'unreadable' ? (
        'This page could not be read. The link stays as it is.'
      ) : (
        <BusyButton
          className="quiet"
          isBusy={state === 'reading'}
          onClick={({ currentTarget }) => void make(currentTarget)}
        >
          Make a card of the link
        </BusyButton>
      )}
    </p>
  );
}
