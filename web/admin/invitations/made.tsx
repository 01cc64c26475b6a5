import { useEffect, useId, useRef, useState } from 'react';
import type { Output } from '../../../contract/operations.ts';
import { useSettings } from '../../app/site.tsx';
import { hasShared } from '../../post/share.tsx';
import { CopyActions } from '../../ui/copy-actions.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { Section } from '../../ui/section.tsx';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';

type Made = Output<'createInvitations'>;

/** The invitations that were just made: the only place where their links can be read. */
export function MadeInvitations({ made, known }: Made) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const mailed = made.filter(({ link }) => link === null);
  const links = made.flatMap(({ link, invitation }) => (link === null ? [] : [{ link, invitation }]));
  return (
    <Section title={titleOf(made)} heading={heading}>
      {mailed.length > 0 && (
        <p className="notice good">
          The invitation is on its way to {mailed.map(({ invitation }) => invitation.email).join(', ')}.
        </p>
      )}
      {known.length > 0 && (
        <p className="notice">
          {`${known.join(', ')} ${known.length === 1 ? 'has' : 'have'} an account already. See Users.`}
        </p>
      )}
      {links.length > 0 && (
        <>
          <p className="notice">Copy what you need now: a link is not shown again.</p>
          <ul>
            {links.map(({ link, invitation }) => (
              <li key={invitation.id}>
                <MadeLink
                  link={link}
                  label={invitation.email ?? invitation.name ?? `For ${invitation.maxUses} people`}
                  isOpen={links.length === 1}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function titleOf({ length }: Made['made']): string {
  if (length === 0) return 'Nobody is invited';
  return length === 1 ? 'Invited' : `${length} people invited`;
}

function MadeLink({ link, label, isOpen }: { link: string; label: string; isOpen: boolean }) {
  const id = useId();
  const { title } = useSettings();
  const canShare = useIsInBrowser() && 'share' in navigator;
  const [showsCode, setShowsCode] = useState(isOpen);
  return (
    <div className="form">
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input
          id={id}
          className="input"
          value={link}
          readOnly
          spellCheck={false}
          onFocus={event => event.currentTarget.select()}
        />
      </div>
      <CopyActions text={link} byHand="Please select the link and copy it." label={`Copy the link: ${label}`}>
        {canShare && (
          <button
            type="button"
            className="button"
            aria-label={`Share the link: ${label}`}
            onClick={() => void hasShared({ title, url: link })}
          >
            Share
          </button>
        )}
        {!isOpen && (
          <button
            type="button"
            className="button"
            aria-expanded={showsCode}
            aria-label={`QR code: ${label}`}
            onClick={() => setShowsCode(!showsCode)}
          >
            QR code
          </button>
        )}
      </CopyActions>
      {showsCode && <QrCode text={link} label={`QR code of the link: ${label}`} />}
    </div>
  );
}
