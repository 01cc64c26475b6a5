import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';
import { createTemplates, type Templates } from './templates.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    templates: Templates;
  }
}

/** One PostgreSQL server for the whole run; each test has a database of its own on it. */
export default async function setup(project: TestProject) {
  const { url, stop } = await startPostgres();
  const { templates, remove } = await createTemplates(url);
  project.provide('postgresUrl', url);
  project.provide('templates', templates);
  return async () => {
    await remove();
    await stop();
  };
}
