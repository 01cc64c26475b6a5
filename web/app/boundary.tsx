import { Component, type ReactNode } from 'react';
import { LoadFailed } from '../ui/load-failed.tsx';
import { HydrationMark } from './hydrated.tsx';
import { Main } from './page.tsx';

type BoundaryProps = {
  children: ReactNode;
  /** What is shown; another address has not failed yet. */
  path: string;
  onRetry(): void;
};

/**
 * Stands in for a screen that cannot be shown, most often because its script could not be loaded: the frame stays, and
 * the reader can try again. `onRetry` forgets what failed.
 */
export class Boundary extends Component<BoundaryProps, { failures: number; hasFailed: boolean }> {
  override state = { failures: 0, hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.path !== this.props.path && this.state.hasFailed)
      this.setState({ failures: 0, hasFailed: false });
  }

  readonly #retry = () => {
    // A browser may remember that a script is missing, as after an update of the site: only a new document helps then.
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
        <LoadFailed text="Failed to load this page." onRetry={this.#retry} />
        <HydrationMark />
      </Main>
    );
  }
}
