import { type DehydratedState, hydrate, QueryClient } from '@tanstack/react-query';
import { lazy, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Router } from 'wouter';
import './styles/main.css';
import { App } from './app/app.tsx';
import { call } from './app/call.ts';
import { followHistory, goTo } from './app/navigation.ts';
import { queryDefaults } from './app/query-defaults.ts';
import { screenAt } from './app/screen.ts';
import { screens } from './screens.ts';

const client = new QueryClient({ defaultOptions: queryDefaults });
const stateElement = document.getElementById('state');
const state = JSON.parse(stateElement?.textContent ?? '{}') as Partial<DehydratedState>;
// The content must not stay in the document after the reader has logged out.
stateElement?.remove();
// The server sends no time (entry-server.tsx), so the data counts as fetched now.
for (const query of state.queries ?? []) query.state.dataUpdatedAt = Date.now();
hydrate(client, state);

// Without its script a text that waits is sent by the next page.
const UnsentPosts = lazy(() => import('./editor/unsent/sender.tsx').catch(() => ({ default: () => null })));

followHistory();
const root = document.getElementById('root');
if (root === null) throw new Error('The document has no #root.');
// The screen that the server rendered must be loaded before hydration.
await screenAt(screens, window.location.pathname)?.screen.load();
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
