import { DateTime } from '../../app/date.tsx';
import { number } from '../../ui/amount.ts';
import { formatSize } from '../../ui/format-size.ts';
import { nameOf, type Transfer, useTransferAction } from './query.ts';

const states: Partial<Record<Transfer['state'], string>> = {
  done: 'done',
  failed: 'failed',
  cancelled: 'ended',
};

/** The last imports and exports and how they ended; an export can be downloaded until it is deleted. */
export function Earlier({ transfers }: { transfers: readonly Transfer[] }) {
  if (transfers.length === 0) return null;
  return (
    <section className="section" aria-labelledby="earlier-title">
      <h2 id="earlier-title">Earlier</h2>
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Result</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {transfers.map(transfer => (
            <Row key={transfer.id} transfer={transfer} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ transfer }: { transfer: Transfer }) {
  const { state, error, made, by, createdAt } = transfer;
  return (
    <tr>
      <th scope="row">
        {nameOf(transfer)}
        <span className="sub">
          <DateTime moment={createdAt} withTime />
          {by !== null && `, ${by}`}
        </span>
      </th>
      <td>
        {error ?? states[state]}
        {made !== null && (
          <span className="sub">
            {number(made.posts)} posts, {number(made.files)} files, {formatSize(made.size)}
            {made.missing > 0 && `; the bytes of ${number(made.missing)} more files were not there`}
          </span>
        )}
      </td>
      <td>{made !== null && <Download transfer={transfer} />}</td>
    </tr>
  );
}

function Download({ transfer: { id } }: { transfer: Transfer }) {
  const open = useTransferAction(async call => {
    const { url } = await call('openExport', { transferId: id });
    // The answer is an attachment, so the page stays open.
    location.assign(url);
  }, 'The export could not be downloaded.');
  const remove = useTransferAction(
    call => call('endTransfer', { transferId: id }),
    'The export could not be deleted.',
  );
  return (
    <div className="acts">
      <button type="button" className="button" onClick={() => open.mutate(undefined)}>
        Download
      </button>
      <button type="button" className="quiet" onClick={() => remove.mutate(undefined)}>
        Delete
      </button>
    </div>
  );
}
