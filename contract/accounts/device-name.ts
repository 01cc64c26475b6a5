/** The browser and system that a User-Agent header names, in words that people use. */
export function deviceName(agent: string | null): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent ?? '')?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent ?? '')?.[1];
  // Only the first name of a program, because the sender can write anything into the rest of the header.
  if (browser === undefined) return /^[\w.-]{1,40}/.exec(agent ?? '')?.[0] ?? 'A program';
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system.replace('Mac OS X', 'macOS')}`;
}
