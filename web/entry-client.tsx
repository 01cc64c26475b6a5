import { type DehydratedState, QueryClient } from '@tanstack/react-query';
import { lazy, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Router } from 'wouter';
import './styles/main.css';
import { App } from './app/app.tsx';
import { call } from './app/call.ts';
import { followHistory, goTo } from './app/navigation.ts';
import { queryDefaults } from './app/query-defaults.ts';
import { screenAt } from './app/screen.ts';
import { untilLoaded } from './app/until-loaded.ts';
import { screens } from './screens.ts';

const client = new QueryClient({ defaultOptions: queryDefaults });
const stateElement = document.getElementById('state');
const state = JSON.parse(stateElement?.textContent ?? '{}') as Partial<DehydratedState>;
// The content must not stay in the document after the reader has logged out.
stateElement?.remove();

const UnsentPosts = lazy(() => untilLoaded(() => import('./editor/unsent/sender.tsx')));

async function start(root: HTMLElement): Promise<void> {
  // The screen that the server rendered must be loaded before hydration.
  const screen = await screenAt(screens, window.location.pathname)?.screen.load();
  // A part whose script does not come says so itself.
  await screen?.loadParts?.(new URLSearchParams(window.location.search)).catch(() => {});
  // Running the scripts took long already; what the reader does meanwhile comes first.
  await new Promise(resolve => setTimeout(resolve));
  // The server sends no time (entry-server.tsx), so the data counts as fetched now.
  for (const { queryKey, state: known } of state.queries ?? []) client.setQueryData(queryKey, known.data);
  // Hydrates in slices, so that the browser stays responsive.
  startTransition(() => {
    // From now on React itself records and replays presses, so app/start-script.ts no longer does.
    document.documentElement.setAttribute('data-hydrating', '');
    hydrateRoot(
      root,
      <Router aroundNav={goTo(screens)}>
        <App client={client} call={call} screens={screens} unsent={<UnsentPosts />} />
      </Router>,
    );
  });
}

followHistory();
const root = document.getElementById('root');
if (root === null) throw new Error('The document has no #root.');
// Not awaited: the screens' scripts import this one, and would wait for it. Without theirs, the page that the
// server rendered works as without scripts.
start(root).catch(() => {});
