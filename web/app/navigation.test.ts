import { afterEach, expect, it, vi } from 'vitest';
import { goTo, guardLeaving } from './navigation.ts';
import type { Screens } from './screen.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a redirect goes on after the reader has decided to stay while another page was loading', async () => {
  const href = 'http://site.invalid/admin/posts/new';
  vi.stubGlobal('document', { documentElement: { hasAttribute: () => true } });
  vi.stubGlobal('window', {
    location: { href, pathname: new URL(href).pathname },
    history: { state: { index: 0 } },
  });
  const loaded = Promise.withResolvers<never>();
  const load = vi.fn(() => loaded.promise);
  // Only the screens of the two addresses are used.
  const screens = {
    timeline: { source: 'timeline', load },
    archive: { source: 'archive', load, module: {} },
  } as unknown as Screens;
  const shown: string[] = [];
  const go = goTo(screens);
  const navigate = (to: string) => shown.push(to);
  const answers = [true, false];
  const stop = guardLeaving({ mayLeave: async () => answers.shift() ?? true, takesBack: () => false });
  const first = go(navigate, '/');
  await expect.poll(() => load.mock.calls.length).toBe(1);
  await go(navigate, '/archive');
  stop();
  await go(navigate, '/archive', { replace: true });
  loaded.reject(new Error('Away.'));
  await first;
  expect(shown).toEqual(['/archive']);
});
