import type { ReactNode } from 'react';

/**
 * A text that screen readers announce when it appears. Its element stays without it, because they announce
 * only what changes in an element. `children` is false while there is no text.
 */
export function Announced({ className, children }: { className: string; children: ReactNode }) {
  return (
    <p className={children === false ? 'hidden' : className} role="status">
      {children}
    </p>
  );
}
