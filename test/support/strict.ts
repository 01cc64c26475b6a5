import { afterEach, beforeEach, expect, vi } from 'vitest';
// Knows the processes that a test file leaves to the next.
import './started-processes.ts';

/** Whatever is written to the console as an error fails the test that did it. */
beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(vi.mocked(console.error).mock.calls).toEqual([]);
  vi.restoreAllMocks();
});
