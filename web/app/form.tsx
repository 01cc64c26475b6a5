import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useRef } from 'react';
import { AppError } from '../../contract/errors.ts';
import { Announced } from '../ui/announced.tsx';
import { FieldErrors } from '../ui/field.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';

type Sending = Pick<
  UseMutationResult<unknown, Error, FormData>,
  'error' | 'isPending' | 'isSuccess' | 'mutate'
>;

type FormProps = {
  ref?: RefObject<HTMLFormElement | null>;
  /** The mutation that submitting runs. */
  sending: Sending;
  submit: string;
  /** The button's text while it is being sent. */
  submitting?: string;
  isBusy?: boolean;
  buttonClass?: string;
  /** The error to show, null for none; by default the server's. */
  failure?: string | null;
  /** The message after success. */
  done?: string;
  /** Whether the server also accepts the form from a browser without scripts. */
  isNative?: boolean;
  /** Other buttons before the one that sends it. */
  beside?: ReactNode;
  /** Below the button. */
  after?: ReactNode;
  children?: ReactNode;
};

/**
 * A form that is sent by a mutation. Its fields show the server's errors, and its button shows that it is
 * busy.
 */
export function Form({
  ref,
  sending,
  submit,
  submitting = submit,
  isBusy = sending.isPending,
  buttonClass = 'button primary',
  failure = sending.error?.message ?? null,
  done,
  isNative = false,
  beside,
  after,
  children,
}: FormProps) {
  const own = useRef<HTMLFormElement>(null);
  const form = ref ?? own;
  const fields = fieldErrors(sending.error);
  const clearPasswords = () => {
    for (const input of form.current?.querySelectorAll<HTMLInputElement>('.password > input') ?? [])
      input.value = '';
  };
  return (
    <form
      ref={form}
      className="form narrow"
      method={isNative ? 'post' : undefined}
      onSubmit={onForm(data => sending.mutate(data, { onSuccess: clearPasswords }))}
    >
      {failure !== null && (
        <div ref={show} className={Object.values(fields).includes(failure) ? 'repeated' : undefined}>
          <Notice text={failure} />
        </div>
      )}
      <FieldErrors value={fields}>{children}</FieldErrors>
      <div className="acts">
        {beside}
        <SubmitButton isBusy={isBusy} isNative={isNative} className={buttonClass}>
          {isBusy ? submitting : submit}
        </SubmitButton>
        {done !== undefined && <Announced className="notice good">{sending.isSuccess && done}</Announced>}
      </div>
      {!isNative && <NeedsScripts />}
      {after}
    </form>
  );
}

/** On a phone the button of a long form is a screen below its beginning. */
function show(failure: HTMLElement | null): void {
  failure?.scrollIntoView({ block: 'nearest' });
}

export function fieldText(form: FormData, name: string): string {
  return String(form.get(name) ?? '');
}

/**
 * The server's sentences by field. The key is the last part of the path in the input, which is the name of
 * the field.
 */
function fieldErrors(error: Error | null): Record<string, string> {
  const fields = error instanceof AppError ? (error.details?.fields ?? {}) : {};
  return Object.fromEntries(
    Object.entries(fields).map(([path, text]) => [path.split('.').at(-1) ?? path, text]),
  );
}
