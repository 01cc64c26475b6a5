import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useCall } from '../../app/operations.tsx';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { Earlier } from './earlier.tsx';
import { NewExport } from './new-export.tsx';
import { NewImport } from './new-import.tsx';
import { OpenTransfer } from './open-transfer.tsx';
import { isOpen, transfersQuery } from './query.ts';
import { ReportOf } from './report.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(transfersQuery(call));
  return { title: 'Import & Export' };
});

/** Imports and exports, one at a time, which the server makes in the background. */
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

/**
 * When a transfer begins, goes on or ends, and the button is gone that had the focus: focuses the heading of
 * the transfer or of its result, or that of the page.
 */
function useFocusOnChange(state: string | undefined): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== state && document.activeElement === document.body)
      (document.getElementById('transfer-title') ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    before.current = state;
  }, [state]);
}
