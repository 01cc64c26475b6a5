import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Call, Input, OperationName, Output } from '../../contract/operations.ts';
import { Form } from '../app/form.tsx';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import type { ScreenModule } from '../app/screen.ts';
import { Announced } from '../ui/announced.tsx';

type LinkFormProps = {
  title: string;
  /** The purpose of the form. */
  intro: string;
  children?: ReactNode;
  submit: string;
  submitting: string;
  send(form: FormData): Promise<unknown>;
  /** Replaces the form after success. */
  done: { text: string; to: string; link: string };
};

/** Shown if a mailed link has lost its token. */
export const brokenLink = 'This link is incomplete. Open it directly from the email.';

/** The token of a link, cut to the longest that can be valid. */
export function tokenOf(search: URLSearchParams): string | null {
  return search.get('token')?.slice(0, 200) || null;
}

/** Prepares the page of a one-time link: with the status 403 if `isOpen` finds that the link has ended. */
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

/**
 * The server's first answer about the link of a page: the link works only once, and the query runs again when
 * the viewer changes.
 */
export function useFirstAnswer<Name extends OperationName>(name: Name, input: Input<Name>): Output<Name> {
  const { data } = useSuspenseQuery(operationQuery(useCall(), name, input));
  const [first] = useState(data);
  return first;
}

type RefusedLinkProps = { title: string; reason: string; children?: ReactNode };

/** A page for an unusable link: why, and what to do instead, if anything. */
export function RefusedLink({ title, reason, children }: RefusedLinkProps) {
  return (
    <Page title={title}>
      <p className="notice bad">{reason}</p>
      {children}
    </Page>
  );
}

/** A page with one form, which is replaced by a message after success. */
export function LinkForm({ title, intro, children, submit, submitting, send, done }: LinkFormProps) {
  const sending = useMutation({ mutationFn: send });
  return (
    <Page title={title}>
      <Announced className="notice good">{sending.isSuccess && done.text}</Announced>
      {sending.isSuccess ? (
        <p>
          <Link to={done.to}>{done.link}</Link>
        </p>
      ) : (
        <Form sending={sending} submit={submit} submitting={submitting}>
          <p>{intro}</p>
          {children}
        </Form>
      )}
    </Page>
  );
}
