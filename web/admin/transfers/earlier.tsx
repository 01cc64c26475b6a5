import { type RefObject, useRef } from 'react';
import { DateTime } from '../../app/date.tsx';
import { amount } from '../../ui/amount.ts';
import { formatSize } from '../../ui/format-size.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { Section } from '../../ui/section.tsx';
import { Head } from '../tables.tsx';
import { nameOf, type Transfer, useTransferAction } from './query.ts';

const states: Partial<Record<Transfer['state'], string>> = {
  done: 'done',
  failed: 'failed',
  cancelled: 'ended',
};

/** The last imports and exports and their results; an export can be downloaded until it is deleted. */
export function Earlier({ transfers }: { transfers: readonly Transfer[] }) {
  if (transfers.length === 0) return null;
  return (
    <Section title="Earlier">
      <table className="rows earlier">
        <Head columns={['What', 'Result']} hasActions />
        <tbody>
          {transfers.map(transfer => (
            <Row key={transfer.id} transfer={transfer} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Row({ transfer }: { transfer: Transfer }) {
  const { of, state, error, made, by, createdAt } = transfer;
  const heading = useRef<HTMLTableCellElement>(null);
  const isDeleted = of.kind === 'export' && state === 'done' && made === null;
  return (
    <tr>
      <th scope="row" ref={heading} tabIndex={-1}>
        {nameOf(transfer)}
        <span className="sub">
          <DateTime moment={createdAt} withTime />
          {by !== null && <span>{`, ${by}`}</span>}
        </span>
      </th>
      <td>
        <span>{error ?? (isDeleted ? 'done, and deleted since' : states[state])}</span>
        {made !== null && (
          <span className="sub">
            {amount(made.posts, 'post')}, {amount(made.files, 'file')}, {formatSize(made.size)}
            {made.missing > 0 && (
              <span>{`; the bytes of ${amount(made.missing, 'more file')} were not there`}</span>
            )}
          </span>
        )}
      </td>
      <td>{made !== null && <Download transfer={transfer} heading={heading} />}</td>
    </tr>
  );
}

type DownloadProps = { transfer: Transfer; heading: RefObject<HTMLElement | null> };

function Download({ transfer, heading }: DownloadProps) {
  const { id } = transfer;
  const open = useTransferAction(async call => {
    const { url } = await call('openExport', { transferId: id });
    // The answer is an attachment, so the page stays open.
    location.assign(url);
  }, 'Failed to download the export.');
  const remove = useTransferAction(
    call => call('endTransfer', { transferId: id }),
    'Failed to delete the export.',
  );
  return (
    <div className="acts">
      <button
        type="button"
        className="button"
        aria-label={`Download ${nameOf(transfer)}`}
        onClick={() => open.mutate()}
      >
        Download
      </button>
      <RowAction
        verb="Delete"
        name={nameOf(transfer)}
        isDangerous
        onClick={() => {
          // The button is removed, but the row stays.
          heading.current?.focus();
          remove.mutate();
        }}
      />
    </div>
  );
}
