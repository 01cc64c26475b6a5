import { type ComponentType, lazy, Suspense, useState } from 'react';

let loaded: ComponentType | undefined;

/** Loads the script of the list, which only admins see; the server loads it with their page. */
export async function loadFirstSteps() {
  const module = await import('./first-steps.tsx');
  loaded = module.default;
  return module;
}

// Without its script there is no list.
const LazyList = lazy(() => loadFirstSteps().catch(() => ({ default: () => null })));

export function FirstSteps() {
  const [View] = useState<ComponentType>(() => loaded ?? LazyList);
  return (
    <Suspense>
      <View />
    </Suspense>
  );
}
