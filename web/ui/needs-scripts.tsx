/** Why the button of a form stays grey where no script runs. */
export function NeedsScripts() {
  return (
    <noscript>
      <p className="hint">This form needs JavaScript.</p>
    </noscript>
  );
}
