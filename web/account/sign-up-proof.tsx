import { useQuery } from '@tanstack/react-query';
import { signUpMinimumMs } from '../../contract/constants.ts';
import { useCall } from '../app/operations.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

type Proof = { ticket?: string; website: string };

/** What tells a person's form from a program's: when it was opened, and a field that no person sees. */
export function useSignUpProof(): (form: FormData) => Promise<Proof> {
  const call = useCall();
  const isInBrowser = useIsInBrowser();
  // A page is rendered once for every visitor, but the ticket is this form's own.
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
    // A password manager can be faster than the server believes.
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
