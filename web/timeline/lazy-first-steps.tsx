import { type ComponentType, lazy, Suspense, useState } from 'react';
import type { FirstStepsProps } from './first-steps.tsx';

let loaded: ComponentType<FirstStepsProps> | undefined;

/** Loads the checklist of a new site: only admins need its script. Without it, the page has none. */
export async function loadFirstSteps() {
  try {
    const module = await import('./first-steps.tsx');
    loaded = module.default;
  } catch {
    // The timeline can be read without it.
    loaded = () => null;
  }
  return { default: loaded };
}

const LazyFirstSteps = lazy(loadFirstSteps);

export function FirstSteps(props: FirstStepsProps) {
  const [View] = useState<ComponentType<FirstStepsProps>>(() => loaded ?? LazyFirstSteps);
  // A boundary would be hydrated after the page counts as hydrated (app/hydrated.tsx).
  if (View !== LazyFirstSteps) return <View {...props} />;
  return (
    <Suspense>
      <View {...props} />
    </Suspense>
  );
}
