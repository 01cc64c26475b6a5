/**
 * As mortal-worker.ts, but it takes two seconds to load, as on a machine that is busy with something else.
 */
const loadMs = 2_000;
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, loadMs);
await import('./mortal-worker.ts');

export {};
