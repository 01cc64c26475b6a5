import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { scratchFolder } from './scratch.ts';

/** Whether nginx is installed (Debian's package `nginx-light`): what needs it is skipped where it is not. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/**
 * nginx before several processes of a site, each in turn, as docs/hosting.md sets it up. A request that one
 * of them could not take goes to the next; one that has written is sent again by the reader alone.
 */
export async function startNginx(urls: readonly string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const servers = urls.map(url => `server 127.0.0.1:${new URL(url).port} max_fails=1 fail_timeout=1s;`);
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
    events { worker_connections 4096; }
    http {
      access_log off;
      client_body_temp_path ${folder}/bodies; proxy_temp_path ${folder}/answers;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      upstream coterie { ${servers.join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://coterie; proxy_http_version 1.1; proxy_buffering off;
          proxy_set_header Host $host; proxy_set_header Connection "";
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_next_upstream error timeout http_503; proxy_connect_timeout 1s;
        }
      }
    }`,
  );
  const child = spawn('nginx', ['-c', file, '-e', join(folder, 'log')], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('nginx did not start.');
    await sleep(50);
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
