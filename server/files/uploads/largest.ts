import type { ReadContext } from '../../access/context.ts';

/** The largest size of one file, in bytes, by the site's current settings. */
export async function largestFile({ settings }: Pick<ReadContext, 'settings'>): Promise<number> {
  return (await settings()).fileMaxMib * 1024 * 1024;
}
