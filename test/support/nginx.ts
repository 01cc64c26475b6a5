import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { scratchFolder } from './scratch.ts';
import { killed, untilListening } from './until-listening.ts';

/** Whether nginx is installed (Debian's package `nginx-light`): what needs it is skipped where it is not. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/**
 * nginx before several processes of a site, each in turn, as docs/hosting.md sets it up. A request that one
 * of them could not take goes to the next; one that has written is sent again by the reader alone.
 */
export async function startNginx(urls: readonly string[]): Promise<Nginx> {
  const servers = urls.map(url => `server 127.0.0.1:${new URL(url).port} max_fails=1 fail_timeout=1s;`);
  return await runNginx(
    `upstream coterie { ${servers.join(' ')} }`,
    `location / {
      proxy_pass http://coterie; proxy_http_version 1.1; proxy_buffering off;
      proxy_set_header Host $host; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_next_upstream error timeout http_503; proxy_connect_timeout 1s;
    }`,
  );
}

type Nginx = { url: string; stop(): Promise<void> };

/** nginx in one process, with these lines in its configuration of HTTP and of its server. */
export async function runNginx(http: string, server: string): Promise<Nginx> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
    events { worker_connections 4096; }
    http {
      access_log off;
      client_body_temp_path ${folder}/bodies; proxy_temp_path ${folder}/answers;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      ${http}
      server { listen 127.0.0.1:${port}; ${server} }
    }`,
  );
  const child = spawn('nginx', ['-c', file, '-e', join(folder, 'log')], { stdio: 'ignore' });
  await untilListening(port, child, 'nginx did not start.');
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await killed(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
