import { useQuery } from '@tanstack/react-query';
import { signUpMinimumMs } from '../../contract/constants.ts';
import { useCall } from '../app/queries.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

type Proof = { ticket?: string; website: string };

/** Distinguishes a person's form from a program's: by the time when it was opened, and a hidden field. */
export function useSignUpProof(): (form: FormData) => Promise<Proof> {
  const call = useCall();
  const isInBrowser = useIsInBrowser();
  // The rendered page is the same for every visitor, so the browser requests the ticket.
  const ticket = useQuery({
    queryKey: ['getSignUpTicket', {}],
    queryFn: async () => ({ ...(await call('getSignUpTicket', {})), openedAt: performance.now() }),
    enabled: isInBrowser,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  return async form => {
    const website = String(form.get('website') ?? '');
    if (ticket === undefined) return { website };
    // With a password manager a person can be faster than the least time, so the form waits.
    const early = ticket.openedAt + signUpMinimumMs + 100 - performance.now();
    if (early > 0) await new Promise(resolve => setTimeout(resolve, early));
    return { ticket: ticket.ticket, website };
  };
}

export function Honeypot() {
  return (
    <div className="hidden" aria-hidden="true">
      <label>
        Website
        <input name="website" type="text" tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  );
}
