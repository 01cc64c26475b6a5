import type { Input } from '../../contract/operations.ts';
import type { Person, Site } from './site.ts';

/** Changes settings of the site as they are now. */
export async function saveSettings(s: Site, as: Person, values: Input<'saveSiteSettings'>['values']) {
  const { version } = await s.call(as, 'getSiteSettings', {});
  return await s.call(as, 'saveSiteSettings', { values, version });
}
