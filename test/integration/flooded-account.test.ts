import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { describeEngines } from '../support/engines.ts';
import { shortPost } from '../support/factories.ts';

const codeOf = (error: unknown) => (error instanceof AppError ? error.code : String(error));

describeEngines(({ siteWithAdmin }) => {
  it('an account ends its sessions while somebody writes with one of them as fast as they can', async () => {
    const [s, admin] = await siteWithAdmin();
    const ends: string[] = [];
    const isWriting = Promise.withResolvers<void>();
    const writing = Array.from({ length: 12 }, async (_, writer) => {
      for (let write = 0; ; write += 1) {
        const deed =
          writer % 2 === 0
            ? s.call(admin, 'changeName', { name: `Name ${write}` })
            : s.call(admin, 'createPost', { ...shortPost(`${write}`, []), isDraft: true });
        const end = await deed.then(() => undefined, codeOf);
        if (end !== undefined) {
          ends.push(end);
          return;
        }
        if (write === 5) isWriting.resolve();
      }
    });
    await isWriting.promise;
    await s.call(admin, 'signOutEverywhere', {});
    await Promise.all(writing);
    expect(new Set(ends)).toEqual(new Set(['unauthenticated']));
  });
});
