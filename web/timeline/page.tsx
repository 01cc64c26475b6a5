import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { Masthead } from '../app/masthead.tsx';
import { useMove, useNavigate, useQueryString } from '../app/navigation.ts';
import { Main } from '../app/page.tsx';
import { operationQuery, settingsQuery, timelineQuery, useCall } from '../app/queries.tsx';
import { hasFailed, retriedWhileShown } from '../app/query-defaults.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { usePageHeading, useSettings, useViewer } from '../app/site.tsx';
import { viewerQuery } from '../app/viewer.ts';
import { marksQuery, ReadingMarks } from '../reading/marks.tsx';
import { OnThisDay, onThisDayQuery } from '../reading/on-this-day.tsx';
import { number } from '../ui/amount.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { isWelcomed } from '../ui/welcome.ts';
import { About } from './about.tsx';
import { FirstSteps, loadFirstSteps } from './lazy-first-steps.tsx';
import { readerKey, rememberedPosition } from './memory.ts';
import { PanelToggle, usePanels } from './panels.tsx';
import { PostList } from './post-list.tsx';
import { addressOfTags, pageOfAddress, tagsOfAddress } from './selection.ts';
import { TagSearch } from './tag-search.tsx';
import { useTagSearch } from './use-tag-search.ts';
import { useTimeline } from './use-timeline.ts';

// Only for those who have just joined, and never rendered by the server.
const Welcome = lazy(() =>
  // The timeline can be read without it.
  import('./welcome.tsx').catch(() => ({ default: () => null })),
);

/** Loads the checklist of an admin, which must be there before the page, so that nothing moves. */
export async function loadFirstStepsIfShown(): Promise<void> {
  const isInBrowser = typeof document !== 'undefined';
  if (isInBrowser && document.querySelector('.links [href="/admin"]') !== null) await loadFirstSteps();
}

export const prepare: ScreenModule['prepare'] = async ({ call, client, search }) => {
  const tags = tagsOfAddress(search);
  const page = pageOfAddress(search);
  const [{ about, title, tagline }, viewer, { pages }] = await Promise.all([
    client.fetchQuery(settingsQuery(call)),
    client.fetchQuery(viewerQuery(client, call)),
    client.fetchInfiniteQuery(timelineQuery(call, tags, page)),
    client.fetchQuery(operationQuery(call, 'getTags', {})),
  ]);
  if (viewer.user !== null) {
    const posts = pages.flatMap(each => each.posts);
    await Promise.all([
      isStart(tags, page) && client.prefetchQuery(onThisDayQuery(call)),
      client.prefetchQuery(marksQuery(call, posts)),
      // Without the checklist the timeline can be read, too.
      viewer.can.administer && client.prefetchQuery(operationQuery(call, 'getFirstSteps', {})),
      viewer.can.administer && loadFirstSteps(),
    ]);
  }
  const description = tagline || about.excerpt || `Short posts and essays on ${title}.`;
  return { title: '', description, canonical: routes.timeline.href(), kind: 'website' };
};

/** Whether this is the whole timeline, not a selection or a later page. */
const isStart = (tags: readonly string[], page: number) => tags.length === 0 && page === 1;

/** The timeline (specification section 2, "/"). For another user it starts again at page 1. */
export default function TimelinePage() {
  const reader = readerKey(useViewer().user?.id);
  const isRestoring = useRestoredSelection(reader);
  return isRestoring ? null : <Timeline key={reader} reader={reader} />;
}

/**
 * A link to `/` restores the reader's last selection, like going back does. True until the address has it.
 */
function useRestoredSelection(reader: string): boolean {
  const navigate = useNavigate();
  const { type } = useMove();
  const search = useQueryString();
  const [selection, setSelection] = useState(() =>
    type === 'push' && !search.has('tags') ? (rememberedPosition(reader)?.selection ?? []) : [],
  );
  useEffect(() => {
    if (selection.length === 0) return;
    navigate(addressOfTags(selection), { replace: true });
    setSelection([]);
  }, [selection, navigate]);
  return selection.length > 0;
}

/** A component of its own: the whole timeline would be rendered again once it is hydrated. */
function NewReader({ id }: { id: string | undefined }) {
  const isInBrowser = useIsInBrowser();
  if (!isInBrowser || !isWelcomed(id)) return null;
  return (
    <Suspense>
      <Welcome />
    </Suspense>
  );
}

function Timeline({ reader }: { reader: string }) {
  const heading = usePageHeading('');
  const { about } = useSettings();
  const { user, can } = useViewer();
  const search = useQueryString();
  const shown = tagsOfAddress(search);
  const page = pageOfAddress(search);
  const tags = useQuery({ ...operationQuery(useCall(), 'getTags', {}), ...retriedWhileShown });
  const byUse = (tags.data?.tags ?? []).toSorted((a, b) => b.postCount - a.postCount);
  const listed = byUse.map(tag => tag.name);
  const uses = new Map(byUse.map(({ name, postCount }) => [name, number(postCount)]));
  const [remembered] = useState(() => rememberedPosition(reader)?.selection ?? []);
  const tagSearch = useTagSearch(
    shown,
    remembered.filter(tag => listed.includes(tag)),
  );
  const { timeline, isReturning } = useTimeline(reader, shown, page);
  const panels = usePanels({ about: false, search: shown.length > 0 });
  const showAbout = (opener: HTMLElement) => {
    const panel = document.getElementById('about');
    // A hidden panel takes no focus. On a wide screen it is always there, and Back has nothing to close.
    if (panel?.checkVisibility() === false) flushSync(() => panels.set('about', true, opener));
    panel?.focus();
  };

  // Selected tags come first, where the bar shows them, even those that the viewer may not see.
  const names = [...new Set([...shown, ...listed, ...tagSearch.selected])];
  // An admin sees the panel even while it is empty, to write it.
  const posts = timeline.data?.pages.flatMap(each => each.posts) ?? [];
  const hasAbout = about.html !== '' || can.administer;
  return (
    <>
      <Masthead />
      <div className="panels scripted">
        {hasAbout && <PanelToggle id="about" panels={panels} />}
        {names.length > 0 && <PanelToggle id="search" isForPhone panels={panels} />}
      </div>
      {hasAbout && <About isOpen={panels.isOpen('about')} />}
      <Main>
        <h1 className="hidden" ref={heading} tabIndex={-1}>
          Posts
        </h1>
        {hasFailed(tags) && (
          <LoadFailed text="Failed to load the tags." error={tags.error} onRetry={tags.refetch} />
        )}
        {names.length > 0 && (
          <TagSearch
            names={names}
            uses={uses}
            shown={shown}
            state={tagSearch}
            isOpen={panels.isOpen('search')}
          />
        )}
        {can.administer && <FirstSteps onAbout={showAbout} />}
        {!can.administer && <NewReader id={user?.id} />}
        {user !== null && isStart(shown, page) && <OnThisDay />}
        <ReadingMarks posts={posts}>
          {lineAbove => (
            <PostList
              list={timeline}
              lineAbove={lineAbove}
              isReturning={isReturning}
              retrySearch={tagSearch.retry}
              {...(shown.length === 0 && { emptyText: 'Nothing here yet.' })}
              nextAddress={pagedAddress(addressOfTags(shown), page + 1)}
              whenEmpty={
                shown.length > 0 ? (
                  <button type="button" className="button" onClick={tagSearch.clear}>
                    Show all posts
                  </button>
                ) : (
                  page === 1 && <WhereToStart />
                )
              }
            />
          )}
        </ReadingMarks>
      </Main>
    </>
  );
}

/** Suggestions for a reader who can read no posts, without a search. */
function WhereToStart() {
  const { user, can } = useViewer();
  const { signUp } = useSettings();
  const setup = useQuery({
    ...operationQuery(useCall(), 'getSetup', { token: '' }),
    enabled: user === null,
  });
  if (can.write) {
    return (
      <Link className="button primary" to={routes.newPost.href()}>
        {can.administer ? 'Write the first post' : 'Write a post'}
      </Link>
    );
  }
  if (user !== null) return can.comment && <p>Posts that are shared with you appear here.</p>;
  if (setup.isPending) return null;
  if (setup.data?.isDone === false) {
    return <p>This site has no admin yet. If it is yours, open the link that it printed when it started.</p>;
  }
  return (
    <p>
      Posts may be for members only. <Link to={routes.login.href()}>Log In</Link> to read them
      {signUp === 'everybody' && (
        <>
          , or <Link to={routes.signup.href()}>Sign Up</Link> to ask for an account
        </>
      )}
      .
    </p>
  );
}

function pagedAddress(address: string, page: number): string {
  return `${address}${address.includes('?') ? '&' : '?'}page=${page}`;
}
