import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { searchMaxCharacters } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import { useNavigate, useQueryString } from '../../app/navigation.ts';
import { operationQuery, useCall, useOperations } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { useViewer } from '../../app/site.tsx';
import { openingsQuery, openingsText } from '../../reading/openings.tsx';
import { amount } from '../../ui/amount.ts';
import { useDialogs } from '../../ui/dialogs.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { useScript } from '../../ui/use-script.ts';
import { forWriters, useReport, WritersPage } from '../layout.tsx';
import { Filters, type ListRequest } from './filters.tsx';
import { ManagedPostCard } from './managed-post-card.tsx';
import { useSelection } from './selection.ts';

export type ManagedPost = Output<'listPosts'>['posts'][number];

/** Filter, page and search from the address, so that reload, back and a bookmark show the same. */
function requestOf(search: URLSearchParams): ListRequest {
  const filter = search.get('filter') ?? '';
  const page = Number(search.get('page'));
  const type = search.get('type');
  return {
    filter: filter === 'published' || filter === 'drafts' ? filter : 'all',
    page: Number.isSafeInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
    search: (search.get('search') ?? '').slice(0, searchMaxCharacters),
    type: type === 'short' || type === 'essay' ? type : null,
    tag: (search.get('tag') ?? '').slice(0, 1_000) || null,
    authorId: /^[\w-]{1,64}$/.exec(search.get('author') ?? '')?.[0] ?? null,
  };
}

function queryOf({ filter, page, search, type, tag, authorId }: ListRequest): string {
  const address = new URLSearchParams();
  if (filter !== 'all') address.set('filter', filter);
  if (search !== '') address.set('search', search);
  if (type !== null) address.set('type', type);
  if (tag !== null) address.set('tag', tag);
  if (authorId !== null) address.set('author', authorId);
  if (page > 1) address.set('page', String(page));
  return address.size > 0 ? `?${address}` : '';
}

export const prepare = forWriters(async ({ call, client, search }) => {
  const [{ posts }] = await Promise.all([
    client.fetchQuery(operationQuery(call, 'listPosts', requestOf(search))),
    client.fetchQuery(operationQuery(call, 'getTags', {})),
  ]);
  await client.prefetchQuery(openingsQuery(call, posts));
  return { title: 'Posts' };
});

/** Post management (specification section 2, "/admin/posts"). */
export default function PostsPage() {
  return (
    <WritersPage
      title="Posts"
      actions={
        <Link className="button primary" to={routes.newPost.href()}>
          Create New Post
        </Link>
      }
    >
      <Posts />
    </WritersPage>
  );
}

function Posts() {
  const call = useCall();
  const navigate = useNavigate();
  const request = requestOf(useQueryString());
  const list = useQuery({ ...operationQuery(call, 'listPosts', request), placeholderData: keepPreviousData });
  const report = useReport();
  const [liked, setLiked] = useState<ManagedPost>();
  const { View: LikesDialog, load: loadLikesDialog } = useScript(() => import('./likes-dialog.tsx'));
  const selection = useSelection();
  const { View: SelectionBar, load: loadSelectionBar } = useScript(() => import('./selection-bar.tsx'));
  const top = useRef<HTMLDivElement>(null);
  const focusNext = useDeletedFocus(top, list.data);
  const show = (change: Partial<ListRequest>, options?: { replace: boolean }) =>
    navigate(routes.posts.href(queryOf({ ...request, page: 1, ...change })), options);

  const { remove, removing } = useRemoval(post => {
    selection.select([post], false);
    focusNext(list.data?.posts.findIndex(({ id }) => id === post.id) ?? 0);
    // After the last card of a page was deleted, the previous page is shown.
    if (list.data?.posts.length === 1 && request.page > 1)
      show({ page: request.page - 1 }, { replace: true });
  });
  const showLikes = async (post: ManagedPost) => {
    if (await loadLikesDialog()) setLiked(post);
    else report.failed('Failed to load the likes. Please try again.', undefined);
  };
  const beginSelecting = async () => {
    if (await loadSelectionBar()) selection.begin();
    else report.failed('Failed to load what selects posts. Please try again.', undefined);
  };
  const turn = (page: number) => {
    show({ page });
    top.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };
  const posts = list.data?.posts ?? [];
  const { can } = useViewer();
  const isSelecting = can.administer && selection.ids !== undefined;
  const openings = useQuery({ ...openingsQuery(call, posts), enabled: posts.length > 0 }).data;
  return (
    <>
      <Filters request={request} list={list.data} onShow={show}>
        {can.administer && <SelectAction isSelecting={isSelecting} onClick={beginSelecting} />}
      </Filters>
      {isSelecting && SelectionBar !== undefined && <SelectionBar posts={posts} selection={selection} />}
      <div ref={top} tabIndex={-1} aria-busy={list.isFetching}>
        {posts.map(post => (
          <ManagedPostCard
            key={post.id}
            post={post}
            listQuery={queryOf(request)}
            openings={openings !== undefined && !post.isDraft && openingsText(openings, post.id)}
            isBusy={removing === post.id}
            isSelected={isSelecting ? selection.has(post) : undefined}
            onSelect={isSelected => selection.select([post], isSelected)}
            onLikes={() => showLikes(post)}
            onDelete={() => remove(post)}
          />
        ))}
        <p className="status" role="status">
          {list.isPending && <span>Loading posts...</span>}
          {list.isSuccess && posts.length === 0 && <span>{emptyText(request)}</span>}
          {list.isSuccess && posts.length > 0 && <span>{matchesText(list.data.total)}</span>}
        </p>
      </div>
      {list.isError && <LoadFailed text="Failed to load posts" error={list.error} onRetry={list.refetch} />}
      <Pages
        page={request.page}
        hasNext={list.data?.hasNextPage === true}
        isLoading={list.isPlaceholderData}
        onTurn={turn}
      />
      {liked !== undefined && LikesDialog !== undefined && (
        <LikesDialog postId={liked.id} onClose={() => setLiked(undefined)} />
      )}
    </>
  );
}

/** Begins to select posts, and gets the focus back at its end. */
function SelectAction({ isSelecting, onClick }: { isSelecting: boolean; onClick(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusReturn(button, isSelecting);
  return (
    <button
      ref={button}
      type="button"
      className="quiet"
      aria-label="Select posts"
      disabled={isSelecting}
      onClick={onClick}
    >
      Select
    </button>
  );
}

/** Deletes a post after a confirmation. `removing` is the id of the post that is being deleted. */
function useRemoval(onRemoved: (post: ManagedPost) => void) {
  const { call, client } = useOperations();
  const { alert, confirm } = useDialogs();
  const report = useReport();
  const removal = useMutation({
    mutationFn: async (post: ManagedPost) => {
      try {
        await call('deletePost', { postId: post.id });
      } catch (error) {
        // Somebody else has deleted it already.
        if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
      }
    },
    onSuccess: async (_, post) => {
      onRemoved(post);
      report.done('The post was deleted.');
      await client.invalidateQueries();
    },
    onError: error => {
      // Somebody who cancelled the confirmation knows that nothing was deleted.
      if (error instanceof AppError && error.code === 'cancelled') return;
      void alert('Failed to delete post. Please try again.');
    },
  });
  const remove = async (post: ManagedPost) => {
    const question = 'Are you sure you want to delete this post? This action cannot be undone.';
    const details = [post.title ?? post.excerpt];
    if (await confirm(question, { action: 'Delete', isDangerous: true, details })) removal.mutate(post);
  };
  return { remove, removing: removal.isPending ? removal.variables.id : undefined };
}

type PagesProps = { page: number; hasNext: boolean; isLoading: boolean; onTurn(page: number): void };

function Pages({ page, hasNext, isLoading, onTurn }: PagesProps) {
  if (page === 1 && !hasNext) return null;
  return (
    <nav className="pages" aria-label="Pages">
      <button type="button" className="button" disabled={page === 1} onClick={() => onTurn(page - 1)}>
        Previous Page
      </button>
      <span>Page {page}</span>
      <button
        type="button"
        className="button"
        disabled={!hasNext || isLoading}
        onClick={() => onTurn(page + 1)}
      >
        Next Page
      </button>
    </nav>
  );
}

/** After a deletion, moves the focus to the card in its place, or to the list if there is none. */
function useDeletedFocus(top: RefObject<HTMLDivElement | null>, list: Output<'listPosts'> | undefined) {
  const deleted = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list is what it waits for
  useEffect(() => {
    if (deleted.current === undefined) return;
    const cards = top.current?.querySelectorAll<HTMLElement>('article') ?? [];
    const card = cards[Math.min(deleted.current, cards.length - 1)];
    deleted.current = undefined;
    if (card === undefined) top.current?.focus({ preventScroll: true });
    else card.querySelector<HTMLElement>('h2 a')?.focus();
  }, [top, list]);
  return (index: number) => {
    deleted.current = index;
  };
}

const matchesText = (total: number | null) =>
  total === null ? 'More than 200 posts' : amount(total, 'post');

function emptyText({ filter, page, search, type, tag, authorId }: ListRequest): string {
  if (page > 1) return 'There are no posts on this page.';
  if (search !== '' || filter === 'published' || type !== null || tag !== null || authorId !== null)
    return 'No posts found with this search criteria';
  return filter === 'drafts' ? 'No drafts.' : 'No posts yet. Write the first one with Create New Post.';
}
