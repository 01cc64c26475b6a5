import { Component, type ReactNode } from 'react';
import { LoadFailed } from '../ui/load-failed.tsx';
import { HydrationMark } from './hydrated.tsx';
import { Main } from './page.tsx';

type BoundaryProps = {
  children: ReactNode;
  /** The current address: another one clears the failure. */
  address: string;
  onRetry(): void;
};

/**
 * Shown in place of a failed screen, most often one whose script could not be loaded: the frame stays, and
 * the reader can try again. `onRetry` clears what failed.
 */
export class Boundary extends Component<BoundaryProps, { failures: number; hasFailed: boolean }> {
  override state = { failures: 0, hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.address !== this.props.address && this.state.hasFailed)
      this.setState({ failures: 0, hasFailed: false });
  }

  readonly #retry = () => {
    // After an update of the site a browser may remember that a script is missing. Then only a new document
    // helps.
    if (this.state.failures > 0 && navigator.onLine) {
      window.location.reload();
      return;
    }
    this.props.onRetry();
    this.setState(({ failures }) => ({ failures: failures + 1, hasFailed: false }));
  };

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Main>
        <LoadFailed text="Failed to load this page." error={null} onRetry={this.#retry} />
        <HydrationMark />
      </Main>
    );
  }
}
