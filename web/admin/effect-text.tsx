/** What a change would do, in words that are heard as well as seen when they change (decisions.md 6). */
export function EffectText({ id, words }: { id?: string; words: readonly string[] }) {
  return (
    <p className="sub effect" role="status" id={id}>
      {words.join('; ')}
    </p>
  );
}
