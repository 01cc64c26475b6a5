import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { transferLimits } from '../../../contract/constants.ts';
import type { Call, Input, Output } from '../../../contract/operations.ts';
import { useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { useToast } from '../../app/toasts.tsx';
import { amount } from '../../ui/amount.ts';
import { Section } from '../../ui/section.tsx';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';
import { AdminPage, forAdmins } from '../layout.tsx';
import { Earlier } from './earlier.tsx';
import { NewImport } from './new-import.tsx';
import { OpenTransfer } from './open-transfer.tsx';
import { isOpen, isUnderWay, type Transfer, transfersQuery, useTransferAction } from './query.ts';
import { ReportOf } from './report.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(transfersQuery(call));
  return { title: 'Import & Export' };
});

/** Imports and exports, one at a time, which the server runs in the background. */
export default function TransfersPage() {
  return (
    <AdminPage title="Import & Export">
      <Transfers />
    </AdminPage>
  );
}

function Transfers() {
  const { transfers, limits } = useSuspenseQuery(transfersQuery(useCall())).data;
  const open = transfers.find(isOpen);
  const [latest] = transfers;
  useEndedToast(latest);
  useFocusOnChange(open && `${open.id} ${open.state}`);
  return (
    <>
      {open !== undefined && <OpenTransfer key={open.id} transfer={open} />}
      {open === undefined && latest?.of.kind === 'import' && latest.state === 'done' && (
        <Section title="Import result" id="transfer-title">
          <ReportOf transfer={latest} />
        </Section>
      )}
      {open === undefined && <NewImport limits={limits} />}
      {open === undefined && <NewExport />}
      <Earlier transfers={transfers.filter(transfer => !isOpen(transfer))} />
    </>
  );
}

/** Says what an import has brought, or that an export is ready, if it ends while the page is open. */
function useEndedToast(latest: Transfer | undefined): void {
  const call = useCall();
  const toast = useToast();
  const underWay = useRef<string>(undefined);
  const isSeen = latest !== undefined && isUnderWay(latest);
  useEffect(() => {
    if (latest === undefined || (latest.of.kind === 'import' && latest.of.isDryRun)) return;
    if (isSeen) underWay.current = latest.id;
    if (latest.state !== 'done' || underWay.current !== latest.id) return;
    underWay.current = undefined;
    if (latest.of.kind === 'export') {
      const actions = <Download call={call} transferId={latest.id} />;
      return toast({ text: 'The export is ready.', actions, stays: true });
    }
    const tell = ({ report }: Output<'getTransferReport'>) => {
      const posts = report?.counts.post?.created ?? 0;
      if (posts === 0) return;
      const actions = (
        <Link className="quiet" to={routes.posts.href()}>
          View {posts === 1 ? 'it' : 'them'}
        </Link>
      );
      toast({ text: `${amount(posts, 'post')} imported.`, actions });
    };
    // The page shows the result, too.
    call('getTransferReport', { transferId: latest.id }).then(tell, () => {});
  }, [call, toast, isSeen, latest]);
}

/** The download in a toast, which is outside of what asks for a sign-in: `call` is that of the page. */
function Download({ call, transferId }: { call: Call; transferId: string }) {
  const toast = useToast();
  const download = () =>
    call('openExport', { transferId }).then(
      // The answer is an attachment, so the page stays open.
      ({ url }) => location.assign(url),
      (error: Error) => toast({ text: `Failed to download the export. ${error.message}` }),
    );
  return (
    <button type="button" className="quiet" onClick={() => void download()}>
      Download
    </button>
  );
}

/**
 * When a transfer begins, continues or ends, and the focused button is removed: focuses the heading of the
 * transfer or of its result, or that of the page.
 */
function useFocusOnChange(state: string | undefined): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== state && document.activeElement === document.body)
      (document.getElementById('transfer-title') ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    before.current = state;
  }, [state]);
}

const { keptHours } = transferLimits;

type Format = Input<'startExport'>['format'];

function NewExport() {
  const isInBrowser = useIsInBrowser();
  const start = useTransferAction(
    (call, format: Format) => call('startExport', { format }),
    'Failed to start the export.',
  );
  const button = (format: Format, words: string) => (
    <button
      type="button"
      className="button"
      disabled={!isInBrowser}
      aria-busy={start.isPending && start.variables === format}
      onClick={() => !start.isPending && start.mutate(format)}
    >
      {words}
    </button>
  );
  return (
    <Section title="Export">
      <p className="lead">
        The whole site is one archive for another Coterie (<code>coterie restore</code>). It holds everything,
        also the hashes of passwords: keep it secret. Markdown is a zip file with your posts, their files and
        comments, for any program.
      </p>
      <p className="acts">
        {button('archive', 'Export the whole site')}
        {button('markdown', 'Export posts as Markdown')}
      </p>
      <p className="small-print">
        You can download it here for {keptHours} hours, or until another one like it is made; then it is
        deleted.
      </p>
    </Section>
  );
}
