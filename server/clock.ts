/** Milliseconds since 1970, UTC. Tests pass their own clock. */
export type Clock = () => number;

export const hourMs = 60 * 60_000;
export const dayMs = 24 * hourMs;

/**
 * How far a stored time may lie ahead without a clock having been set back, in milliseconds: the clocks of processes
 * differ, and a query runs some time after it read the clock.
 */
export const clockToleranceMs = 60_000;
