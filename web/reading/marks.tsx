import { type QueryClient, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo } from 'react';
import type { Call, Output } from '../../contract/operations.ts';
import type { ListedPost } from '../../contract/post.ts';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { knownViewer } from '../app/viewer.ts';

type Marks = Output<'getReadingMarks'>;

/** The most posts that one call names: no reader scrolls further. Of others the marks are unknown. */
const mostPosts = 200;
/** How long visible cards are collected before they are recorded, in milliseconds. */
const gatherMs = 2_000;

export function marksQuery(call: Call, posts: readonly Pick<ListedPost, 'id'>[]) {
  return operationQuery(call, 'getReadingMarks', {
    postIds: posts.slice(0, mostPosts).map(post => post.id),
  });
}

const NewComments = createContext<ReadonlySet<string>>(new Set());

/** Whether a post has comments that the reader has not seen. */
export function useHasNewComments(postId: string): boolean {
  return use(NewComments).has(postId);
}

/**
 * Marks posts for a signed-in reader: a dot for new comments, and the line above posts seen before.
 * `children` gets the id of the post below that line.
 */
export function ReadingMarks({
  posts,
  children,
}: {
  posts: readonly ListedPost[];
  children(lineAbove: string | undefined): ReactNode;
}) {
  const { user } = useViewer();
  const { data, isPlaceholderData } = useQuery({
    ...marksQuery(useCall(), posts),
    enabled: user !== null && posts.length > 0,
    placeholderData: before => before,
  });
  const withNewComments = useMemo(() => new Set(data?.withNewComments), [data]);
  const lineAbove = lineAboveOf(posts, data);
  // Marks of fewer posts do not say whether the new ones were seen before.
  useNoteShown(posts.slice(0, mostPosts), isPlaceholderData ? undefined : data);
  return <NewComments value={withNewComments}>{children(lineAbove)}</NewComments>;
}

type LinedPost = Pick<ListedPost, 'id' | 'isPinned'>;

/**
 * The post below the line: the first at its date that the reader had seen before this visit, if something new
 * is above.
 */
export function lineAboveOf(posts: readonly LinedPost[], marks: Marks | undefined): string | undefined {
  const wasSeen = ({ id }: LinedPost) => marks?.opened.includes(id) && !marks.openedNow.includes(id);
  const first = posts.findIndex(post => !post.isPinned && wasSeen(post));
  const isNewAbove = first > 0 && posts.slice(0, first).some(post => !wasSeen(post));
  return isNewAbove ? posts[first]?.id : undefined;
}

/** The line between new posts and those seen before. */
export function NewLine() {
  return (
    <p className="new-line">
      <span>
        <span aria-hidden="true">↑ </span>
        <span className="hidden">Above: </span>New since you were here
      </span>
    </p>
  );
}

/** Records the short posts that come into view: they are read in full on their card. */
function useNoteShown(posts: readonly ListedPost[], marks: Marks | undefined): void {
  const note = useNote();
  const isUnseen = ({ id, type }: ListedPost) =>
    marks?.isKept && type === 'short' && !marks.opened.includes(id);
  const ids = posts.flatMap(post => (isUnseen(post) ? post.id : [])).join();
  useEffect(() => {
    if (ids === '') return;
    const shown = new Map<Element, string>();
    let gathered: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const send = () => {
      if (gathered.length > 0) note(gathered);
      gathered = [];
    };
    const observer = new IntersectionObserver(entries => {
      for (const { isIntersecting, target } of entries) {
        const id = isIntersecting ? shown.get(target) : undefined;
        if (id === undefined) continue;
        gathered.push(id);
        observer.unobserve(target);
      }
      clearTimeout(timer);
      timer = setTimeout(send, gatherMs);
    });
    for (const id of ids.split(',')) {
      // The line with date and counts, at the card's end.
      const end = document.getElementById(`name-${id}`);
      if (end === null) continue;
      shown.set(end, id);
      observer.observe(end);
    }
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      send();
    };
  }, [ids, note]);
}

/** Records that a signed-in reader has opened a post, and removes its dot. */
export function useNoteOpened(postId: string): void {
  const userId = useViewer().user?.id;
  const note = useNote();
  useEffect(() => {
    if (userId !== undefined) note([postId]);
  }, [postId, userId, note]);
}

function useNote(): (postIds: string[]) => void {
  const { call, client } = useOperations();
  const userId = useViewer().user?.id;
  return useCallback(postIds => noteOpened(client, call, userId, postIds), [call, client, userId]);
}

/**
 * Records what a reader has opened, here at once, unless somebody else reads by now. That removes the dots.
 */
export function noteOpened(
  client: QueryClient,
  call: Call,
  userId: string | undefined,
  postIds: string[],
): void {
  if (knownViewer(client)?.user?.id !== userId) return;
  client.setQueriesData<Marks>({ queryKey: ['getReadingMarks'] }, marks => {
    if (!marks) return marks;
    const first = postIds.filter(id => !marks.opened.includes(id));
    return {
      ...marks,
      opened: [...marks.opened, ...first],
      openedNow: [...marks.openedNow, ...first],
      withNewComments: marks.withNewComments.filter(id => !postIds.includes(id)),
    };
  });
  // A failure is not shown, because nothing depends on it: the next visit records the posts.
  call('noteOpened', { postIds }).catch(() => {});
}
