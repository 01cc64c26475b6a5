import { keepPreviousData } from '@tanstack/react-query';

/** For queries about what a change would do: posts and tags may have changed since the last one. */
export const previewed = { staleTime: 0, gcTime: 0, placeholderData: keepPreviousData } as const;

/** The effect of a change, announced by screen readers when it changes (decisions.md 6). */
export function EffectText({ id, words }: { id?: string; words: readonly string[] }) {
  return (
    <p className="sub effect" role="status" id={id}>
      {words.join('; ')}
    </p>
  );
}
