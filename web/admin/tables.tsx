import type { ReactNode } from 'react';
import { DateTime } from '../app/date.tsx';
import { number } from '../ui/amount.ts';

type HeadProps = {
  columns: readonly string[];
  /** Whether a last column of actions follows, whose heading is for screen readers only. */
  hasActions?: boolean;
};

/** The headings of a table. */
export function Head({ columns, hasActions = false }: HeadProps) {
  return (
    <thead>
      <tr>
        {columns.map(column => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
        {hasActions && (
          <th scope="col">
            <span className="hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

type LogProps = { columns: readonly [string, string, string]; entries: readonly LogEntry[] };
type LogEntry = { id: string | number; at: string; what: ReactNode; more: ReactNode };

/** A table of what happened, when, and something more. */
export function Log({ columns, entries }: LogProps) {
  return (
    <table className="rows log">
      <Head columns={columns} />
      <tbody>
        {entries.map(({ id, at, what, more }) => (
          <tr key={id}>
            <th scope="row">{what}</th>
            <td>
              <DateTime moment={at} withTime />
            </td>
            <td>{more}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return (
    <table className="rows tally">
      <tbody>{children}</tbody>
    </table>
  );
}

type FactProps = {
  name: string;
  /** A note beside the value. Either all facts of a table have a note or none; it may be empty. */
  note?: ReactNode;
  children: ReactNode;
};

export function Fact({ name, note, children }: FactProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
      {note !== undefined && <td>{note}</td>}
    </tr>
  );
}

type WaitingFactProps = { name: string; note?: ReactNode; waiting: number; oldestAt: string | null };

/** How many entries wait in a queue, and since when. */
export function WaitingFact({ name, note, waiting, oldestAt }: WaitingFactProps) {
  return (
    <Fact name={name} note={note}>
      {number(waiting)}
      {oldestAt !== null && (
        <>
          , since <DateTime moment={oldestAt} />
        </>
      )}
    </Fact>
  );
}
