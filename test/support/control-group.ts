import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';
const isSecondVersion = existsSync(join(root, 'cgroup.controllers'));
const megabyte = 1024 * 1024;

/** Megabytes of memory, which part of a core, and the megabytes that its disk writes in a second. */
export type SmallMachine = { megabytes: number; processor: number; writeSpeed?: number };

export function describeMachine({ megabytes, processor, writeSpeed }: SmallMachine): string {
  return `${megabytes} MB, ${processor} cores${writeSpeed === undefined ? '' : `, ${writeSpeed} MB/s written`}`;
}

/** Only root can make control groups. */
export const canMakeControlGroups = process.getuid?.() === 0 && existsSync(root);

/** A control group of either version of Linux's, which bounds the processes that join it. */
export class ControlGroup {
  readonly #folders: readonly string[];

  private constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  static async make({ megabytes, processor, writeSpeed }: SmallMachine): Promise<ControlGroup> {
    const name = `coterie-small-${process.pid}`;
    const bytes = String(megabytes * megabyte);
    const quota = String(Math.round(processor * 100_000));
    const controllers = [
      'memory',
      'cpu',
      ...(writeSpeed === undefined ? [] : [isSecondVersion ? 'io' : 'blkio']),
    ];
    const folders = isSecondVersion ? [join(root, name)] : controllers.map(one => join(root, one, name));
    if (isSecondVersion)
      await writeFile(join(root, 'cgroup.subtree_control'), controllers.map(one => `+${one}`).join(' '));
    for (const folder of folders) await mkdir(folder);
    const [memory = '', cpu = '', io = ''] = folders;
    if (isSecondVersion) {
      await writeFile(join(memory, 'memory.max'), bytes);
      await writeFile(join(memory, 'cpu.max'), `${quota} 100000`);
      if (writeSpeed !== undefined)
        await writeFile(join(memory, 'io.max'), `${await diskOfData()} wbps=${writeSpeed * megabyte}`);
    } else {
      await writeFile(join(memory, 'memory.limit_in_bytes'), bytes);
      await writeFile(join(cpu, 'cpu.cfs_quota_us'), quota);
      if (writeSpeed !== undefined)
        await writeFile(
          join(io, 'blkio.throttle.write_bps_device'),
          `${await diskOfData()} ${writeSpeed * megabyte}`,
        );
    }
    return new ControlGroup(folders);
  }

  /** The words before a command that run it in this group. */
  get launcher(): string[] {
    const join = this.#folders.map(folder => `echo $$ > ${folder}/cgroup.procs`).join(' && ');
    return ['sh', '-c', `${join} && exec "$@"`, 'sh'];
  }

  /** The most megabytes that were taken, with what the system keeps of files. */
  async peak(): Promise<number> {
    const name = isSecondVersion ? 'memory.peak' : 'memory.max_usage_in_bytes';
    return Math.round(Number(await this.#read(name)) / megabyte);
  }

  /** Megabytes of its processes. */
  async resident(): Promise<number> {
    let kilobytes = 0;
    for (const id of (await this.#read('cgroup.procs')).trim().split('\n'))
      kilobytes += Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1]);
    return Math.round(kilobytes / 1_024);
  }

  /** Once all of its processes have ended. */
  async remove(): Promise<void> {
    for (const folder of this.#folders) await rmdir(folder);
  }

  #read(name: string): Promise<string> {
    return readFile(join(this.#folders[0] ?? '', name), 'utf8');
  }
}

/** The disk of temporary folders, as major and minor number: limits are set for disks, not for partitions. */
async function diskOfData(): Promise<string> {
  const { dev } = await stat(tmpdir());
  const device = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  const partition = join('/sys/dev/block', device, 'partition');
  if (!existsSync(partition)) return device;
  return (await readFile(join('/sys/dev/block', device, '..', 'dev'), 'utf8')).trim();
}
