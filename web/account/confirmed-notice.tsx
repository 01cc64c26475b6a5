/** Said where somebody has confirmed in another tab who they are. */
export function ConfirmedNotice() {
  return (
    <p className="notice good" role="status">
      Confirmed. Go back to the tab where you were asked: it goes on there.
    </p>
  );
}
