import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from '../app/navigation.ts';
import { timelineQuery, useOperations } from '../app/queries.tsx';
import { rememberSelection } from './memory.ts';
import { addressOfTags, toggled } from './selection.ts';

/**
 * The selection of tags, and the search with it (specification section 4). Once the posts are loaded, the
 * selection is shown and written to the address; going back and forward restores the selection.
 */
export function useTagSearch(shown: readonly string[], remembered: readonly string[]) {
  const { call, client } = useOperations();
  const navigate = useNavigate();
  const [selected, setSelected] = useState(shown);
  /** The result of a search for screen readers, and its address. An empty list has a text of its own. */
  const [found, setFound] = useState({ address: '', text: '' });
  const search = useMutation({
    mutationFn: (tags: readonly string[]) =>
      client.fetchInfiniteQuery({ ...timelineQuery(call, tags), pages: 1, staleTime: 0 }),
  });

  const address = addressOfTags(shown);
  const { isIdle, reset } = search;
  const isFirst = useRef(true);
  const choose = (tags: readonly string[]) => {
    // The same array renders nothing again.
    setSelected(before => (addressOfTags(before) === addressOfTags(tags) ? before : tags));
    rememberSelection(tags);
  };
  // The stored selection is shown after the first paint, because the server cannot know it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address stands for the tags
  useEffect(() => {
    choose(isFirst.current && shown.length === 0 ? remembered : shown);
    isFirst.current = false;
    if (!isIdle) reset();
  }, [address]);

  const searchFor = (tags: readonly string[]) => {
    setFound({ address: '', text: '' });
    // This runs only while the timeline is mounted, so a reader who has left meanwhile is not brought back.
    search.mutate(tags, {
      onSuccess: ({ pages: [first] }) => {
        const count = first?.posts.length ?? 0;
        const more = first?.hasNextPage ? ' or more' : '';
        const text = count === 0 ? '' : `${count}${more} ${count === 1 ? 'post' : 'posts'} found`;
        setFound({ address: addressOfTags(tags), text });
        if (addressOfTags(tags) === address) window.scrollTo({ top: 0 });
        else navigate(addressOfTags(tags));
      },
    });
  };
  const clear = () => {
    choose([]);
    searchFor([]);
  };
  return {
    selected,
    isSearching: search.isPending,
    // After going back, other posts are shown than those that were found.
    found: found.address === address ? found.text : '',
    toggle: (tag: string) => {
      const tags = toggled(selected, tag);
      // With nothing selected, Search and Clear are disabled, so this is the only way back to all posts.
      if (tags.length === 0 && shown.length > 0) clear();
      else choose(tags);
    },
    search: () => searchFor(selected),
    clear,
    /** Undefined unless the last search has failed. */
    retry: search.isError ? () => searchFor(search.variables) : undefined,
  };
}

export type TagSearchState = ReturnType<typeof useTagSearch>;
