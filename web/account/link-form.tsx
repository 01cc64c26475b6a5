import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Call } from '../../contract/operations.ts';
import { Form } from '../app/form.tsx';
import { operationQuery } from '../app/operations.tsx';
import { Page } from '../app/page.tsx';
import type { ScreenModule } from '../app/screen.ts';

type LinkFormProps = {
  title: string;
  /** What the form is for. */
  intro: string;
  children?: ReactNode;
  submit: string;
  submitting: string;
  send(form: FormData): Promise<unknown>;
  /** Shown in place of the form after success. */
  done: { text: string; to: string; link: string };
};

/** Shown if the link of a mail has lost its token. */
export const brokenLink = 'This link is incomplete. Open it directly from the email.';

/** The token of a link, cut to the longest that can be valid. */
export function tokenOf(search: URLSearchParams): string | null {
  return search.get('token')?.slice(0, 200) || null;
}

/** Prepares the page of a one-time link: with the status 403 for one that `isOpen` finds to be over. */
export function forLink(
  title: string,
  isOpen: (call: Call, token: string) => Promise<boolean>,
): ScreenModule['prepare'] {
  return async ({ call, client, search }) => {
    const token = tokenOf(search);
    const ask: Call = (name, input) => client.fetchQuery(operationQuery(call, name, input));
    return token === null || (await isOpen(ask, token)) ? { title } : { title, status: 403 };
  };
}

/** A page whose link cannot be used, and why. */
export function RefusedLink({ title, reason }: { title: string; reason: string }) {
  return (
    <Page title={title}>
      <p className="notice bad">{reason}</p>
    </Page>
  );
}

/** A page with one form, which is replaced by a message after success. */
export function LinkForm({ title, intro, children, submit, submitting, send, done }: LinkFormProps) {
  const sending = useMutation({ mutationFn: send });
  return (
    <Page title={title}>
      {sending.isSuccess ? (
        <>
          <p className="notice good" role="status">
            {done.text}
          </p>
          <p>
            <Link to={done.to}>{done.link}</Link>
          </p>
        </>
      ) : (
        <Form sending={sending} submit={submit} submitting={submitting}>
          <p>{intro}</p>
          {children}
        </Form>
      )}
    </Page>
  );
}
