/** Milliseconds since 1970, UTC. Tests hand in their own. */
export type Clock = () => number;
