import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePageHeading } from '../app/site.tsx';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';
import { NeedsScripts } from './needs-scripts.tsx';

type LinkFormProps = {
  title: string;
  /** What the form is for. */
  intro?: string;
  children?: ReactNode;
  /** The button's words, at rest and while busy. */
  submit: readonly [rest: string, busy: string];
  send(form: FormData): Promise<unknown>;
  /** What stands in place of the form once it is done. */
  done: { text: string; to: string; link: string };
};

/** What is said where the link of a mail has lost its token on the way. */
export const brokenLink = 'This link is not whole. Please open it as it stands in the mail.';

function LinkPage({ title, children }: { title: string; children: ReactNode }) {
  const heading = usePageHeading(title);
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </header>
      {children}
    </main>
  );
}

/** A page whose link leads nowhere, and why. */
export function RefusedLink({ title, reason }: { title: string; reason: string }) {
  return (
    <LinkPage title={title}>
      <p className="notice bad">{reason}</p>
    </LinkPage>
  );
}

/** A page with one form whose success leaves nothing more to do here. */
export function LinkForm({ title, intro, children, submit, send, done }: LinkFormProps) {
  const sent = useMutation({ mutationFn: send });
  return (
    <LinkPage title={title}>
      {sent.isSuccess ? (
        <>
          <p className="notice good" role="status">
            {done.text}
          </p>
          <p>
            <Link to={done.to}>{done.link}</Link>
          </p>
        </>
      ) : (
        <form className="form narrow" onSubmit={onForm(sent.mutate)}>
          {intro !== undefined && <p>{intro}</p>}
          {sent.isError && (
            <p className="notice bad" role="alert">
              {sent.error.message}
            </p>
          )}
          {children}
          <div className="acts">
            <SubmitButton isBusy={sent.isPending}>{submit[sent.isPending ? 1 : 0]}</SubmitButton>
          </div>
          <NeedsScripts />
        </form>
      )}
    </LinkPage>
  );
}
