import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** Runs a script in which Podman keeps everything in a folder, in a network and with processes of its own. */
export function runWithPodman(folder: string, script: string, cwd: string): string {
  mkdirSync(join(folder, 'networks'), { recursive: true });
  for (const [name, text] of Object.entries(settings(folder))) writeFileSync(join(folder, name), text);
  const own = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return execFileSync('unshare', [...own, 'sh', '-ec', `ip link set lo up\n${script}`], {
    cwd,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      CONTAINERS_CONF: join(folder, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
