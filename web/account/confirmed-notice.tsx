/** Shown in the tab in which somebody has confirmed their identity for another tab. */
export function ConfirmedNotice() {
  return (
    <p className="notice good" role="status">
      Confirmed. Go back to the tab where you were asked to continue there.
    </p>
  );
}
