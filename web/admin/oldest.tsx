type OldestProps = { listed: number; total: number };

/** Says that a list has only the oldest items; nothing if it has all. */
export function Oldest({ listed, total }: OldestProps) {
  if (total <= listed) return null;
  return (
    <p className="hint">
      These are the oldest {listed} of {total}.
    </p>
  );
}
