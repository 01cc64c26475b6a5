import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';

/** The effect of a change, before it is saved (decision 6). */
export type Preview = {
  /** Empty until it is known. */
  words: readonly string[];
  /** Whether the words are still about an earlier choice. */
  isUncertain: boolean;
};

/** Asks the server for the effect of a change, if `isAsked`, and puts it in words. */
export function usePreview<Answer>(
  question: UseQueryOptions<Answer>,
  isAsked: boolean,
  describe: (answer: Answer) => readonly string[],
  failure = 'Failed to load the effect of this change.',
): Preview {
  const { data, isError, isPending, isPlaceholderData } = useQuery({
    ...question,
    enabled: isAsked,
    // Posts and tags may have changed since it was last asked for.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const known = data === undefined ? [] : describe(data);
  return { words: isError ? [failure] : known, isUncertain: isAsked && (isPending || isPlaceholderData) };
}

type EffectTextProps = { id?: string; words: readonly string[]; isSilent?: boolean };

/** The effect of a change, announced by screen readers when it changes, unless it is silent. */
export function EffectText({ id, words, isSilent = false }: EffectTextProps) {
  return (
    <p className="sub effect" role={isSilent ? undefined : 'status'} id={id}>
      {words.join('; ')}
    </p>
  );
}
