/** Milliseconds since 1970, UTC. Tests pass their own clock. */
export type Clock = () => number;

/** A moment in the name of a file, such as `2026-03-01T10-00-00-000Z`. */
export const stampOf = (time: number) => new Date(time).toISOString().replaceAll(/[:.]/g, '-');

export const hourMs = 60 * 60_000;
export const dayMs = 24 * hourMs;

/**
 * How far a stored time may lie ahead without a clock having been set back, in milliseconds: the clocks of
 * processes differ, and a query runs some time after it read the clock.
 */
export const clockToleranceMs = 60_000;
