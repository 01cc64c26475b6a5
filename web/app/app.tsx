import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type LazyExoticComponent, lazy, type ReactNode, Suspense } from 'react';
import { Redirect } from 'wouter';
import type { Call } from '../../contract/operations.ts';
import { DialogsProvider } from '../ui/dialogs.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { Boundary } from './boundary.tsx';
import { Footer, Navigation, TopBar } from './frame.tsx';
import { HydrationMark } from './hydrated.tsx';
import { usePath, useQueryString } from './navigation.ts';
import { Main } from './page.tsx';
import { usePrefetch } from './prefetch.ts';
import { CallContext } from './queries.tsx';
import { ReaderNotice } from './reader-notice.tsx';
import { routes } from './routes.ts';
import { type Screen, type ScreenModule, type ScreenProps, type Screens, screenAt } from './screen.ts';
import { useScrollMemory } from './scroll.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { SiteProvider, useReader, useViewer } from './site.tsx';
import { ToastsProvider } from './toasts.tsx';
import { hasTextOfPost } from './unsaved-texts.ts';
import { untilLoaded } from './until-loaded.ts';

// Most readers never see it.
const SignedOutNotice = lazy(() =>
  // Without its script the page only lacks an explanation.
  import('./signed-out-notice.tsx').catch(() => ({ default: () => null })),
);

// Without it the page would not hear that its reader has lost a right.
const LiveViewer = lazy(() => untilLoaded(() => import('./live-viewer.tsx')));

const later = new Map<Screen, LazyExoticComponent<ScreenModule['default']>>();

function lazyPage(screen: Screen): LazyExoticComponent<ScreenModule['default']> {
  const known = later.get(screen);
  if (known !== undefined) return known;
  const page = lazy(() => screen.load());
  later.set(screen, page);
  return page;
}

/**
 * The component of a screen. A loaded screen renders synchronously: on the server, and when the first page
 * hydrates.
 */
function ScreenView({ screen, params }: { screen: Screen } & ScreenProps) {
  const Page = screen.module?.default ?? lazyPage(screen);
  return <Page params={params} />;
}

type AppProps = {
  client: QueryClient;
  call: Call;
  screens: Screens;
  /** Sends posts that were written without a connection; only in the browser. */
  unsent?: ReactNode;
};

/** The app inside its router; the server and the browser use different ones. */
export function App({ client, call, screens, unsent }: AppProps) {
  usePrefetch(client, call, screens);
  return (
    <QueryClientProvider client={client}>
      <CallContext value={call}>
        <SiteProvider>
          <Site screens={screens} unsent={unsent} />
        </SiteProvider>
      </CallContext>
    </QueryClientProvider>
  );
}

function Site({ screens, unsent }: Pick<AppProps, 'screens' | 'unsent'>) {
  const { key, signedOut } = useReader();
  // It outlives a change of the reader, who may be led to another page at the same time.
  useScrollMemory();
  return (
    <DialogsProvider askedFor={key}>
      <ToastsProvider shownFor={key}>
        <div className="site" key={key}>
          <a className="skip" href="#main">
            Skip to content
          </a>
          <div>
            <TopBar />
            <Navigation />
            <ReaderNotice />
            <Background unsent={unsent} />
            {signedOut !== null && (
              <Suspense>
                <SignedOutNotice {...signedOut} />
              </Suspense>
            )}
          </div>
          <SignInAgain>
            <CurrentScreen screens={screens} />
          </SignInAgain>
          <Footer />
        </div>
      </ToastsProvider>
    </DialogsProvider>
  );
}

/**
 * What a signed-in reader in any state needs beside the screen: live events (changes of their rights and of
 * the posts on the page), and the sending of posts, for an account that may write or has lost that right.
 */
function Background({ unsent }: Pick<AppProps, 'unsent'>) {
  const { user, can } = useViewer();
  const isInBrowser = useIsInBrowser();
  if (user === null || !isInBrowser) return null;
  return (
    <>
      <Suspense fallback={null}>
        <LiveViewer />
      </Suspense>
      {(can.write || hasTextOfPost(user.id)) && <Suspense fallback={null}>{unsent}</Suspense>}
    </>
  );
}

function CurrentScreen({ screens }: { screens: Screens }) {
  const path = usePath();
  const query = useQueryString();
  const match = screenAt(screens, path);
  return (
    <Boundary address={`${path}${query}`} onRetry={() => later.clear()}>
      {/* Without the key React would keep a hidden screen until the next one is loaded. */}
      <Suspense key={match?.screen.source} fallback={<Loading />}>
        {match === undefined ? <Redirect to={routes.timeline.href()} replace /> : <ScreenView {...match} />}
        <HydrationMark />
      </Suspense>
    </Boundary>
  );
}

function Loading() {
  return (
    <Main>
      <p className="status" role="status">
        Loading...
      </p>
    </Main>
  );
}
