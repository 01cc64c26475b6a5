import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import type { Call } from '../../contract/operations.ts';
import { type Screen, screens } from '../screens.ts';
import { DialogsProvider } from '../ui/dialogs.tsx';
import { Footer, TopBar } from './frame.tsx';
import { CallContext } from './operations.tsx';
import { ReaderNotice } from './reader-notice.tsx';

const later = new Map(screens.map(screen => [screen, lazy(() => screen.load())]));

/** A screen that is loaded renders at once: on the server, and when the browser takes over the first page. */
function ScreenView({ screen }: { screen: Screen }) {
  const Page = screen.module?.default ?? later.get(screen);
  return Page === undefined ? null : <Page />;
}

/** The app around its router, which the server and the browser choose differently. */
export function App({ client, call }: { client: QueryClient; call: Call }) {
  return (
    <QueryClientProvider client={client}>
      <CallContext value={call}>
        <DialogsProvider>
          <div className="site">
            <a className="skip" href="#main">
              Skip to content
            </a>
            <div>
              <TopBar />
              <ReaderNotice />
            </div>
            <Suspense fallback={<Loading />}>
              <Routes>
                {screens.map(screen => (
                  <Route key={screen.path} path={screen.path} element={<ScreenView screen={screen} />} />
                ))}
                <Route path="*" element={<Navigate to="/" replace />} />
              </Routes>
            </Suspense>
            <Footer />
          </div>
        </DialogsProvider>
      </CallContext>
    </QueryClientProvider>
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
