/** The effect of a change, announced by screen readers when it changes (decisions.md 6). */
export function EffectText({ id, words }: { id?: string; words: readonly string[] }) {
  return (
    <p className="sub effect" role="status" id={id}>
      {words.join('; ')}
    </p>
  );
}
