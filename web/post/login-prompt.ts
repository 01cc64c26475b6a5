import { useNavigate, usePath, useQueryString } from '../app/navigation.ts';
import { loginHref } from '../app/routes.ts';
import { useDialogs } from '../ui/dialogs.tsx';

/** Specification section 8, "Login prompt". */
const text =
  'You need to log in or sign up to perform this action. Would you like to continue to the login page?';

/**
 * Asks a visitor whether to go to the login page, which leads back to `next`, by default the current page.
 */
export function useLoginPrompt(): (next?: string) => Promise<void> {
  const dialogs = useDialogs();
  const navigate = useNavigate();
  const path = usePath();
  const search = useQueryString();
  return async (next = path + (search.size > 0 ? `?${search}` : '')) => {
    if (!(await dialogs.confirm(text, { action: 'Yes', cancel: 'No' }))) return;
    navigate(loginHref(next));
  };
}
