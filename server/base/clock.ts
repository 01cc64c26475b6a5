/** Milliseconds since 1970, UTC. Tests pass their own clock. */
export type Clock = () => number;

/** A moment for the name of a file, such as `2026-03-01T10-00-00-000Z`. */
export const stampOf = (time: number) => new Date(time).toISOString().replaceAll(/[:.]/g, '-');

export const hourMs = 60 * 60_000;
export const dayMs = 24 * hourMs;

/**
 * How far a stored time may be ahead of now without meaning that a clock was set back, in milliseconds: the
 * clocks of processes differ, and a query runs some time after the clock was read.
 */
export const clockToleranceMs = 60_000;
