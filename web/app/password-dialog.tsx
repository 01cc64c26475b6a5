import { useMutation } from '@tanstack/react-query';
import type { Call } from '../../contract/operations.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form, fieldText } from './form.tsx';
import { useViewer } from './site.tsx';

/** Asks for the password once more; closed without it, it answers no. */
export function PasswordDialog({ call, onAnswer }: { call: Call; onAnswer(isGiven: boolean): void }) {
  const { user } = useViewer();
  const confirm = useMutation({
    mutationFn: (form: FormData) =>
      call('confirmPassword', { currentPassword: fieldText(form, 'currentPassword') }),
    onSuccess: () => onAnswer(true),
  });
  return (
    <Dialog title="Your password, please" isOpen onClose={() => onAnswer(false)}>
      <p>This cannot be undone, and it is a while since you logged in.</p>
      <Form
        sending={confirm}
        submit="Continue"
        submitting="Checking..."
        after={
          <button type="button" className="quiet" onClick={() => onAnswer(false)}>
            Cancel
          </button>
        }
      >
        {/* For a password manager, which asks whose password it is. */}
        <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
        <Field
          name="currentPassword"
          type="password"
          label="Your password"
          autoComplete="current-password"
          required
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
