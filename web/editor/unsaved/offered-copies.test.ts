import { afterEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../contract/errors.ts';
import { copiesOf, copyKey, storeCopy } from './browser-copy.ts';
import { offeredCopies } from './offered-copies.ts';
import { emptyDraft } from './post-fields.ts';

afterEach(() => vi.unstubAllGlobals());

/** Storage of a browser whose keys are its own properties. */
function storage(): object {
  const texts: Record<string, string> = {};
  return new Proxy(texts, {
    get: (_, name) =>
      ({ getItem: (key: string) => texts[key], setItem: (key: string, text: string) => (texts[key] = text) })[
        String(name)
      ],
  });
}

it('a new post is offered the text of a post that is deleted, and of no post that is there or may not be read', async () => {
  vi.stubGlobal('window', { localStorage: storage() });
  const answers = {
    deleted: 'not-found',
    hidden: 'permission-denied',
    odd: 'invalid-argument',
    unknown: 'unavailable',
  } as const;
  for (const postId of Object.keys(answers)) {
    const copy = {
      draft: { ...emptyDraft, content: postId },
      savedAt: Date.now(),
      version: 1,
      saveKey: 'key',
    };
    await storeCopy(copyKey('user', postId, 'key'), copy);
  }
  const call = async (_: string, { postId }: { postId: keyof typeof answers }) => {
    throw new AppError(answers[postId], 'No.');
  };
  const copies = await offeredCopies(call as never, 'user', null);
  expect(copies.map(({ draft, isOfDeletedPost }) => [draft.content, isOfDeletedPost])).toEqual([
    ['deleted', true],
  ]);
});

it('a copy of another version is offered without the fields that this version does not know', async () => {
  vi.stubGlobal('window', { localStorage: storage() });
  const { mailsBeginning: _, ...older } = emptyDraft;
  const draft = { ...older, content: 'Words.', mood: 'Calm' };
  await storeCopy(copyKey('user', null, 'key'), {
    draft,
    savedAt: Date.now(),
    version: null,
    saveKey: 'key',
  });
  const [copy] = await copiesOf('user', null);
  expect(copy?.draft).toEqual({ ...older, content: 'Words.' });
});
