import { join } from 'node:path';
import { root } from './files.ts';
import { blockWith } from './hosting.ts';
import { runWithPodman } from './podman.ts';

/**
 * Follows what docs/hosting.md says of containers, with Podman in a network and with processes of its own:
 * the image as it is started there, and deploy/compose.yaml.
 */
export function tryContainer(packages: string, work: string): string[] {
  const run = (script: string) => runWithPodman(join(work, 'podman'), script, packages);
  const healthy = (name: string) => `until podman exec ${name} coterie health; do sleep 0.2; done\n`;
  const block = blockWith('podman load').replace('podman logs', `${healthy('coterie')}podman logs`);
  const started = run(`${block}
curl -sf -H 'Host: blog.example' http://127.0.0.1:3000/ > /dev/null
podman stop --time 10 coterie
podman inspect --format 'ended with {{.State.ExitCode}}' coterie`);
  for (const words of [/https:\/\/blog\.example\/setup\?token=/, /No problems found/, /ended with 0$/m])
    if (!words.test(started)) throw new Error(`The container has not said ${words}: ${started}`);
  const composed = `podman-compose -f ${join(root, 'deploy/compose.yaml')}`;
  run(`${composed} up -d\n${healthy('deploy_coterie_1')}
curl -sf -H 'Host: localhost:3000' http://127.0.0.1:3000/ > /dev/null\n${composed} down`);
  return ['Podman runs the image as docs/hosting.md does, and podman-compose runs compose.yaml'];
}
