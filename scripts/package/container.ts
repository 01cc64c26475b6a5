import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';
import { blockWith } from './hosting.ts';

/** Podman with all that it keeps in a folder, also where few files may be open and systemd does not run. */
const settings = (folder: string) => ({
  'containers.conf': `[containers]
default_ulimits = ["nofile=1024:4096", "nproc=1024:4096"]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`,
  'storage.conf': `[storage]
driver = "vfs"
graphroot = "${folder}/images"
runroot = "${folder}/run"
`,
});

/**
 * Follows what docs/hosting.md says of containers, with Podman in a network and with processes of its own:
 * the image as it is started there, and deploy/compose.yaml.
 */
export function tryContainer(packages: string, work: string): string[] {
  const folder = join(work, 'podman');
  mkdirSync(join(folder, 'networks'), { recursive: true });
  for (const [name, text] of Object.entries(settings(folder))) writeFileSync(join(folder, name), text);
  const run = (script: string) =>
    execFileSync(
      'unshare',
      ['--net', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-ec', `ip link set lo up\n${script}`],
      {
        cwd: packages,
        env: {
          PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          CONTAINERS_CONF: join(folder, 'containers.conf'),
          CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
        },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
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
