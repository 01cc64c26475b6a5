import { Page } from '../app/page.tsx';

/** Shown in the tab in which somebody has confirmed their identity for another tab. */
export function ConfirmedNotice() {
  return (
    <p className="notice good" role="status">
      Confirmed. Go back to the other tab to continue.
    </p>
  );
}

/** The same as a page. */
export function ConfirmedPage({ title }: { title: string }) {
  return (
    <Page title={title}>
      <ConfirmedNotice />
    </Page>
  );
}
