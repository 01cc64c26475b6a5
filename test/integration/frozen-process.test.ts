import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startProcesses } from '../processes/start-beside.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import type { Person } from '../support/site.ts';

type Asked = { finish(): void; answer: Promise<string> };

/**
 * A call of which the kernel has all but the last byte, whether the process that it is for is frozen or not.
 */
async function begin(url: string, as: NonNullable<Person>, operation: string, data: object): Promise<Asked> {
  const body = JSON.stringify({ data });
  const headers = { cookie: as.cookie, 'content-type': 'application/json', 'content-length': body.length };
  const sent = request(`${url}/api/${operation}`, { method: 'POST', headers, agent: false });
  const answer = once(sent, 'response').then(async ([incoming]) => await text(incoming));
  await new Promise<void>(resolve => sent.write(body.slice(0, -1), () => resolve()));
  return { finish: () => void (sent.writableEnded || sent.end(body.slice(-1))), answer };
}

/**
 * decision 31: a request after the acknowledgement gets nothing, also from a process that was frozen
 * meanwhile.
 */
describeEngines(({ siteWithAdmin }) => {
  it('a process that was frozen while rights were revoked answers nobody with old rights once it continues, whenever the request began', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, essay({ title: 'Secret', tags: ['red'] }));
    const members: NonNullable<Person>[] = [];
    for (let index = 0; index < 6; index += 1) members.push(await s.member(['red']));
    const { urls, children, stop } = await startProcesses(s, [{}, {}, {}]);
    const [frozenUrl = '', other = ''] = urls;
    const [frozen] = children;
    const askAll = async (url: string) =>
      await Promise.all(
        members.flatMap(member => [
          begin(url, member, 'getPosts', {}),
          begin(url, member, 'getPost', { postId: id }),
        ]),
      );
    const answersOf = async (asked: readonly Asked[]) => {
      for (const { finish } of asked) finish();
      return await Promise.all(asked.map(({ answer }) => answer));
    };
    try {
      // Every process knows everybody, and keeps what it has answered.
      for (const url of urls) {
        for (const answer of await answersOf(await askAll(url))) expect(answer).toContain('Secret');
      }
      frozen?.kill('SIGSTOP');
      const begunBefore = await askAll(frozenUrl);
      const wholeBefore = await askAll(frozenUrl);
      for (const { finish } of wholeBefore) finish();
      for (const [index, { id: userId }] of members.entries()) {
        const [operation, data] =
          index % 2 === 0 ? ['denyUser', { userId }] : ['setApprovedTags', { userId, tags: [] }];
        const { finish, answer } = await begin(other, admin, String(operation), data as object);
        finish();
        expect(await answer).toContain('result');
      }
      const after = await askAll(frozenUrl);
      frozen?.kill('SIGCONT');
      const answers = [
        ...(await answersOf(begunBefore)),
        ...(await answersOf(wholeBefore)),
        ...(await answersOf(after)),
      ];
      expect(answers).toHaveLength(36);
      for (const answer of answers) expect(answer).not.toContain('Secret');
      for (const url of urls) {
        for (const answer of await answersOf(await askAll(url))) expect(answer).not.toContain('Secret');
      }
    } finally {
      frozen?.kill('SIGCONT');
      await stop();
    }
  });
});
