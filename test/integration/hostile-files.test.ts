import type { ChildProcess } from 'node:child_process';
import { beforeEach, expect, it } from 'vitest';
import { startProcesses } from '../processes/start-beside.ts';
import { describeEngines } from '../support/engines.ts';
import { bucketPath, multipart } from '../support/multipart.ts';
import type { Person, Site } from '../support/site.ts';
import { endProcesses, startedProcesses } from '../support/started-processes.ts';
import { box, track, u32 } from '../support/videos.ts';

/** Chunks of one byte, from the last to the first, some of them after the end of the data. */
function shuffledVideo(): Buffer {
  const count = 490_000;
  const chunks = Array.from({ length: count }, (_, index) => 40 + count - index);
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0isom')),
    box('mdat', Buffer.alloc(count - 100, 1)),
    box('moov', track({ handler: 'vide', id: 1, chunks, sizes: count, fixed: 1 })),
  ]);
}

/** A WebM whose tracks are described by nothing but empty elements. */
function emptyTracks(): Buffer {
  const long = (id: string, body: Buffer) =>
    Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([1, 0, 0, 0]), u32(body.length), body]);
  const type = Buffer.concat([Buffer.from('428284', 'hex'), Buffer.from('webm')]);
  const empty = long('ae', Buffer.alloc(8_000_000, Buffer.from([0xec, 0x80])));
  return Buffer.concat([long('1a45dfa3', type), long('18538067', long('1654ae6b', empty))]);
}

const drawing = Buffer.from(
  `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(3_900)}">]><svg>${'&a;'.repeat(100_000)}</svg>`,
);
const grown = 'With everything that it refers to, this drawing (SVG) has more than 16 MB.';

const hostile: readonly (readonly [name: string, type: string, bytes: Buffer, refusal: string])[] = [
  ['a.svg', 'image/svg+xml', drawing, grown],
  ['c.mp4', 'video/mp4', shuffledVideo(), 'incomplete or damaged'],
  ['d.webm', 'video/webm', emptyTracks(), 'too many parts'],
];

// Each test looks at the process that its file starts.
beforeEach(() => endProcesses('media-process'));

describeEngines(({ siteWithAdmin }) => {
  it.each(hostile)(
    '48. while a hostile file is searched (%s), others are answered',
    async (name, type, bytes, refusal) => {
      const [s, admin] = await siteWithAdmin();
      const began = Promise.withResolvers<ChildProcess>();
      using _ = startedProcesses(child => {
        child.kill('SIGSTOP');
        began.resolve(child);
      });
      let isAnswered = false;
      const answer = send(s, admin, name, bytes, type).finally(() => {
        isAnswered = true;
      });
      const child = await began.promise;
      expect((await s.request('/healthz')).status).toBe(200);
      expect((await s.call(admin, 'getViewer', null)).user?.id).toBe(admin.id);
      expect(isAnswered).toBe(false);
      child.kill('SIGCONT');
      expect(await answer).toContain(refusal);
    },
  );

  it('a file whose process ends is refused with a sentence, and the next one is stored', async () => {
    const [s, admin] = await siteWithAdmin();
    let isDying = true;
    using started = startedProcesses(child => isDying && child.kill('SIGKILL'));
    const small = Buffer.from('<svg><!-- a --><path d="M0 0"/></svg>');
    expect(await send(s, admin, 'a.svg', small, 'image/svg+xml')).toContain('too much time or memory');
    isDying = false;
    expect(await send(s, admin, 'a.svg', small, 'image/svg+xml')).toContain('"name":"posts/a.svg"');
    expect(started.children.length).toBe(2);
  });

  it('the built server has hostile files searched by a process of its own, and goes on', async () => {
    const [s, admin] = await siteWithAdmin();
    const {
      urls: [url = ''],
      stop,
    } = await startProcesses(s, [{}]);
    try {
      for (const [name, type, bytes, refusal] of hostile) {
        const { headers, ...init } = multipart(bytes, {}, type);
        const answer = await fetch(url + bucketPath(name), {
          ...init,
          headers: { ...(headers as Record<string, string>), cookie: admin.cookie },
        });
        expect(await answer.text()).toContain(refusal);
        expect((await fetch(`${url}/healthz`)).status).toBe(200);
      }
    } finally {
      await stop();
    }
  });
});

async function send(s: Site, as: Person, name: string, bytes: Buffer, type: string): Promise<string> {
  return await (await s.request(bucketPath(name), as, multipart(bytes, {}, type))).text();
}
