import { type DehydratedState, hydrate, QueryClient } from '@tanstack/react-query';
import { startTransition } from 'react';
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
// What was read shall be nowhere in the page once its reader has gone.
stateElement?.remove();
// The server names no time (entry-server.tsx): what it sent holds from now on.
for (const query of state.queries ?? []) query.state.dataUpdatedAt = Date.now();
hydrate(client, state);

followHistory();
const root = document.getElementById('root');
if (root === null) throw new Error('The document has no #root.');
// The screen that the server rendered, so that the browser takes it over as it stands.
await screenAt(screens, window.location.pathname)?.screen.load();
// In slices, between which the browser answers the reader.
startTransition(() => {
  // From now on React takes a press in by itself, and acts on it once it can: app/start-script.ts notes no more.
  document.documentElement.setAttribute('data-hydrating', '');
  hydrateRoot(
    root,
    <Router aroundNav={goTo(screens)}>
      <App client={client} call={call} screens={screens} />
    </Router>,
  );
});
