import { useState } from 'react';
import type { ManagedPost } from './page.tsx';

/** The posts chosen in the list, of any of its pages. */
export type Selection = {
  /** The ids, in the order in which they were chosen; undefined while none are being chosen. */
  ids: readonly string[] | undefined;
  has(post: ManagedPost): boolean;
  select(posts: readonly ManagedPost[], isSelected: boolean): void;
  begin(): void;
  end(): void;
};

export function useSelection(): Selection {
  const [ids, setIds] = useState<readonly string[]>();
  return {
    ids,
    has: ({ id }) => ids?.includes(id) === true,
    select: (posts, isSelected) =>
      setIds(before => {
        if (before === undefined) return undefined;
        const others = before.filter(id => posts.every(post => post.id !== id));
        return isSelected ? [...others, ...posts.map(post => post.id)] : others;
      }),
    begin: () => setIds([]),
    end: () => setIds(undefined),
  };
}
