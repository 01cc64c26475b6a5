import { amount, number } from '../../ui/amount.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { Section } from '../../ui/section.tsx';
import { AuthorsChoice, accountsOf, type Chosen } from './authors.tsx';
import { isUnderWay, nameOf, type Transfer, useChoices, useReportOf, useTransferAction } from './query.ts';
import { ReportOf } from './report.tsx';

/** The transfer that is running, or waits for an admin to start it. */
export function OpenTransfer({ transfer }: { transfer: Transfer }) {
  return (
    <Section title={nameOf(transfer)} id="transfer-title">
      {transfer.files.length > 0 && <p className="lead">{transfer.files.join(', ')}</p>}
      {isUnderWay(transfer) ? <UnderWay transfer={transfer} /> : <Checked transfer={transfer} />}
    </Section>
  );
}

function UnderWay({ transfer }: { transfer: Transfer }) {
  const { done, total, interruptions } = transfer;
  const end = useEnd(transfer);
  const words = wordsOf(transfer);
  return (
    <>
      <p role="status">{words}</p>
      <div className="transfer">
        <progress aria-label={words} {...(total !== null && { max: Math.max(total, 1), value: done })} />
        <p className="sub">{amountOf(transfer)}</p>
        <button type="button" className="quiet" onClick={end}>
          Cancel
        </button>
      </div>
      <p className="small-print">
        You can leave this page; the work continues.
        {interruptions > 0 && <span> It was interrupted, and has continued.</span>}
      </p>
    </>
  );
}

function wordsOf({ of, state }: Transfer): string {
  if (state === 'waiting') return 'It begins in a moment...';
  if (of.kind === 'export') return 'Exporting...';
  return of.isDryRun ? 'Checking the files...' : 'Importing...';
}

function amountOf({ of, done, total }: Transfer): string {
  if (of.kind === 'export' && of.format === 'archive')
    return total === null ? '' : `${Math.floor((100 * done) / Math.max(total, 1))} %`;
  return total === null ? number(done) : `${number(done)} of ${number(total)}`;
}

/** The report of the dry run, and the possible next steps. */
function Checked({ transfer }: { transfer: Transfer }) {
  const [{ opens, leavesTagsOut, authors }, choose] = useChoices(transfer);
  const chosen = new Map(authors);
  const { data, refetch } = useReportOf(transfer);
  const { report, writers = [] } = data ?? {};
  const accounts: Chosen = report == null ? new Map() : accountsOf(report, writers, chosen);
  const closed = report == null ? 0 : report.closed.length + report.moreClosed;
  const start = useTransferAction(call => {
    const authors = [...accounts].map(([name, userId]) => ({ name, userId }));
    return call('startImport', { transferId: transfer.id, opens, leavesTagsOut, authors });
  }, 'Failed to start the import.');
  // Perhaps somebody who was chosen is no longer an author.
  const begin = () => start.mutate(undefined, { onError: () => refetch() });
  const end = useEnd(transfer);
  return (
    <>
      <p role="status">Nothing has been imported yet. The import would bring:</p>
      <ReportOf
        transfer={transfer}
        authors={
          report != null && (
            <AuthorsChoice
              report={report}
              writers={writers}
              accounts={accounts}
              onChoose={(name, userId) => choose({ authors: [...chosen.set(name, userId)] })}
            />
          )
        }
      />
      {closed > 0 && (
        <label className="choice">
          <input
            type="checkbox"
            checked={opens}
            onChange={event => choose({ opens: event.target.checked })}
          />{' '}
          Remove the tags from {amount(closed, 'post')} that {closed === 1 ? 'is' : 'are'} kept closed, so
          that more people can read {closed === 1 ? 'it' : 'them'}
        </label>
      )}
      {report != null && report.narrowed > 0 && (
        <TagsChoice
          count={report.narrowed}
          leavesOut={leavesTagsOut}
          onChoose={leavesOut => choose({ leavesTagsOut: leavesOut })}
        />
      )}
      <p className="acts">
        <BusyButton className="button primary" isBusy={start.isPending} onClick={begin}>
          Start the import
        </BusyButton>
        <button type="button" className="quiet" onClick={end}>
          Discard
        </button>
      </p>
    </>
  );
}

type TagsChoiceProps = { count: number; leavesOut: boolean; onChoose(leavesOut: boolean): void };

/** Whether posts that the source does not restrict come with the tags that close them here. */
function TagsChoice({ count, leavesOut, onChoose }: TagsChoiceProps) {
  const choice = (value: boolean, words: string) => (
    <label className="choice">
      <input
        type="radio"
        name="tags-of-open-posts"
        checked={leavesOut === value}
        onChange={() => onChoose(value)}
      />
      {words}
    </label>
  );
  return (
    <fieldset className="field">
      <legend>Tags of {amount(count, 'post')} that the source does not restrict</legend>
      {choice(false, 'Keep the tags: only readers to whom you give them read these posts')}
      {choice(true, 'Leave these tags out: everybody reads these posts, visitors included')}
      <p className="hint">
        All other posts keep their tags. Default tags of this site close no post, and stay.
      </p>
    </fieldset>
  );
}

/** Returns the function that stops a transfer; it asks first if something was already written. */
function useEnd({ id, of, state }: Transfer): () => Promise<void> {
  const { confirm } = useDialogs();
  const end = useTransferAction(
    call => call('endTransfer', { transferId: id }),
    `Failed to stop the ${of.kind}.`,
  );
  return async () => {
    const isImporting = of.kind === 'import' && !of.isDryRun && state === 'running';
    const question = 'Stop this import? What has been imported so far stays, and you can run it again later.';
    if (isImporting && !(await confirm(question, { action: 'Stop', cancel: 'Go on' }))) return;
    end.mutate();
  };
}
