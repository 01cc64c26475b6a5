import { useLocation, useNavigate } from 'react-router';
import { useDialogs } from '../ui/dialogs.tsx';

/** Specification section 8, "Login prompt". */
const text =
  'You need to log in or sign up to perform this action. Would you like to continue to the login page?';

/** Asks a visitor whether to go to the login page; from there they come back to `next`, or to where they are. */
export function useLoginPrompt(): (next?: string) => Promise<void> {
  const dialogs = useDialogs();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  return async (next = pathname + search) => {
    if (!(await dialogs.confirm(text, { action: 'Yes', cancel: 'No' }))) return;
    navigate(next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`);
  };
}
