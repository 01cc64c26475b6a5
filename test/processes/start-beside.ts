import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';
import { renewSessions, type Site } from '../support/site.ts';
import { siteEnvironment } from './site-environment.ts';

/**
 * Processes beside a site, on its database; on its data folder, or each on one of its own. They go by the
 * time of day, and from now on the site does too.
 */
export async function startProcesses(site: Site, environments: readonly Record<string, string>[]) {
  const { config, deps, wait } = site;
  wait(Date.now() - deps.clock());
  await renewSessions(site);
  const children: ChildProcess[] = [];
  const started = environments.map(async environment => {
    const child = fork(join(inject('programs'), 'test-beside.js'), {
      env: { ...siteEnvironment(config), ...environment },
      execArgv: [],
    });
    children.push(child);
    const [port] = await once(child, 'message');
    return `http://127.0.0.1:${port}`;
  });
  const stop = async () => {
    for (const child of children) {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    }
  };
  return { urls: await Promise.all(started), children, stop };
}
