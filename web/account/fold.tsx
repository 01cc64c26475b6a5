import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useHash } from '../app/navigation.ts';

type FoldProps = {
  title: string;
  /** Whether it is open at first: the parts that somebody uses are visible. */
  isUsed: boolean;
  children: ReactNode;
};

/** Sections of the account page that few people need. A link to one of them opens it. */
export function Fold({ title, isUsed, children }: FoldProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  // Only at first: it must not close when its last item is removed.
  const [isOpen] = useState(isUsed);
  const hash = useHash();
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(hash.slice(1));
    if (target === null || !fold.current?.contains(target)) return;
    fold.current.open = true;
    target.scrollIntoView();
  }, [hash]);
  return (
    <details ref={fold} className="fold" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
