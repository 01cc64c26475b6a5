import { readdir } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { markerName } from '../../server/db/folder-marker.ts';
import { type Location, openSite, type Site } from './site.ts';

/** What a folder of backups holds beside its marker. */
export const archivesIn = async (folder: string) =>
  (await readdir(folder)).filter(name => name !== markerName).sort();

/** A site with a schedule; its clock begins at midnight. It closes with the test. */
export async function openForBackups(location: Location, settings: Record<string, string>): Promise<Site> {
  const site = await openSite(location, { BACKUP_AT: '03:30', ...settings });
  onTestFinished(site.close);
  return site;
}
