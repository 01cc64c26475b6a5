import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import type { Call } from '../../contract/operations.ts';
import { DialogsProvider } from '../ui/dialogs.tsx';
import { Boundary } from './boundary.tsx';
import { Footer, TopBar } from './frame.tsx';
import { CallContext } from './operations.tsx';
import { usePrefetch } from './prefetch.ts';
import { ReaderNotice } from './reader-notice.tsx';
import { type Screen, screenAt } from './routes.ts';
import { useScrollMemory } from './scroll.ts';
import { SiteProvider } from './site.tsx';

const later = new Map<Screen, LazyExoticComponent<ComponentType>>();

function lazyPage(screen: Screen): LazyExoticComponent<ComponentType> {
  const known = later.get(screen);
  if (known !== undefined) return known;
  const page = lazy(() => screen.load());
  later.set(screen, page);
  return page;
}

/** A screen that is loaded renders at once: on the server, and when the browser takes over the first page. */
function ScreenView({ screen }: { screen: Screen }) {
  const Page = screen.module?.default ?? lazyPage(screen);
  return <Page />;
}

/** The app around its router, which the server and the browser choose differently. */
export function App({ client, call }: { client: QueryClient; call: Call }) {
  // From now on the page's buttons act: start-script.ts waits for it, and whoever drives the page, a test for one, can.
  useEffect(() => document.documentElement.setAttribute('data-taken-over', ''), []);
  usePrefetch(client, call);
  return (
    <QueryClientProvider client={client}>
      <CallContext value={call}>
        <SiteProvider>
          <DialogsProvider>
            <div className="site">
              <a className="skip" href="#main">
                Skip to content
              </a>
              <div>
                <TopBar />
                <ReaderNotice />
              </div>
              <Screens />
              <Footer />
            </div>
          </DialogsProvider>
        </SiteProvider>
      </CallContext>
    </QueryClientProvider>
  );
}

function Screens() {
  useScrollMemory();
  const { pathname } = useLocation();
  const screen = screenAt(pathname)?.screen;
  return (
    <Boundary path={pathname} onRetry={() => later.clear()}>
      <Suspense fallback={<Loading />}>
        <Routes>
          {screen === undefined ? (
            <Route path="*" element={<Navigate to="/" replace />} />
          ) : (
            <Route path={screen.path} element={<ScreenView screen={screen} />} />
          )}
        </Routes>
      </Suspense>
    </Boundary>
  );
}

function Loading() {
  return (
    <main id="main" className="page">
      <p className="status" role="status">
        Loading...
      </p>
    </main>
  );
}
