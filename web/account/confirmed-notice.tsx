/** Shown in the tab in which somebody has confirmed their identity for another tab. */
export function ConfirmedNotice() {
  return (
    <p className="notice good" role="status">
      Confirmed. Go back to the other tab to continue.
    </p>
  );
}
