/** Milliseconds since 1970, UTC. Tests hand in their own. */
export type Clock = () => number;

/**
 * How much earlier a process may take it to be than another one: their clocks differ, and a query runs a while after the
 * time that it compares with was read. Only a time that lies further ahead than that says that the clock was set back.
 * Milliseconds.
 */
export const clockToleranceMs = 60_000;
