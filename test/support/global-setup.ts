import type { TestProject } from 'vitest/node';
import { buildPrograms } from '../processes/build.ts';
import { startPostgres } from './postgres.ts';
import { createTemplates, type Templates } from './templates.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    templates: Templates;
  }
}

/**
 * One PostgreSQL server for the whole run, on which each test has a database of its own, and the programs
 * that tests start as processes, built once.
 */
export default async function setup(project: TestProject) {
  const [{ url, stop }, programs] = await Promise.all([
    // How a query is answered changes when a vacuum has come by: a test that asserts it says itself when.
    startPostgres(['-c', 'autovacuum=off']),
    buildPrograms(),
  ]);
  const { templates, remove } = await createTemplates(url);
  project.provide('postgresUrl', url);
  project.provide('templates', templates);
  project.provide('programs', programs.folder);
  return async () => {
    await programs.remove();
    await remove();
    await stop();
  };
}
