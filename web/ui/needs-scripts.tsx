/** Explains why the button of a form is disabled without scripts. */
export function NeedsScripts() {
  return (
    <noscript>
      <p className="hint">This form needs JavaScript.</p>
    </noscript>
  );
}
