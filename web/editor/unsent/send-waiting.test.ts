import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../contract/errors.ts';
import type { Call } from '../../../contract/operations.ts';
import { copiesOf, copyKey, dropCopy, storeCopy, type WaitingSave } from '../unsaved/browser-copy.ts';
import { emptyDraft } from '../unsaved/post-fields.ts';
import { type Sent, sendWaiting } from './send-waiting.ts';

const userId = 'mina';
const keyOf = (name: string) => copyKey(userId, null, name);

/** A browser's storage whose keys are its own properties. */
function storage(): object {
  const texts: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => texts[key] ?? null,
    setItem: (key: string, text: string) => (texts[key] = text),
    removeItem: (key: string) => delete texts[key],
  };
  return new Proxy(texts, { get: (_, name) => methods[name as keyof typeof methods] });
}

beforeEach(() => {
  vi.stubGlobal('window', { localStorage: storage(), dispatchEvent: () => true });
  vi.stubGlobal('StorageEvent', Event);
});
afterEach(() => vi.unstubAllGlobals());

const start = Date.now() - 1_000;
/** Stores a text in the browser, as the `order`-th one. */
async function leave(name: string, order: number, waits?: WaitingSave): Promise<void> {
  await storeCopy(keyOf(name), {
    draft: { ...emptyDraft, content: name },
    savedAt: start + order,
    version: null,
    saveKey: name,
    ...(waits && { waits }),
  });
}
const published = { isDraft: false };

/** Sends the waiting texts to a server that answers each with `answer`. */
async function send(answer: (content: string) => unknown, isSignedIn: boolean | (() => boolean) = true) {
  const asked: string[] = [];
  const sent: Sent[] = [];
  const call: Call = async (_, ...[input]) => {
    const { content } = Object(input);
    asked.push(content);
    return (await answer(content)) as never;
  };
  const { signal } = new AbortController();
  const isLeft = await sendWaiting({
    ...{ call, userId, signal },
    isSignedIn: async () => (typeof isSignedIn === 'boolean' ? isSignedIn : isSignedIn()),
    onSent: one => sent.push(one),
  });
  return { asked, sent, isLeft };
}
const made = (content: string) => ({ post: { id: `post ${content}` } });

it('posts that wait are sent in the order in which they were written, and texts that do not wait stay', async () => {
  await leave('second', 2, { isDraft: true });
  await leave('first', 1, published);
  await leave('half done', 3);
  expect(await send(made)).toEqual({
    asked: ['first', 'second'],
    sent: [
      { isDraft: false, postId: 'post first' },
      { isDraft: true, postId: 'post second' },
    ],
    isLeft: false,
  });
  expect((await copiesOf(userId, null)).map(({ saveKey }) => saveKey)).toEqual(['half done']);
});

it('a post waits on while the server does not answer, or nobody of its account is signed in', async () => {
  await leave('first', 1, published);
  await leave('second', 2, published);
  const lost = () => Promise.reject(new AppError('unavailable', 'No.'));
  expect(await send(lost)).toEqual({ asked: ['first'], sent: [], isLeft: true });
  expect(await send(made, false)).toEqual({ asked: [], sent: [], isLeft: true });
  expect((await send(made)).asked).toEqual(['first', 'second']);
});

it('a post waits on if somebody else has signed in since its sending began', async () => {
  await leave('first', 1, published);
  let times = 0;
  expect(await send(made, () => ++times === 1)).toEqual({ asked: [], sent: [], isLeft: true });
  expect((await send(made)).asked).toEqual(['first']);
});

it('a post that is refused does not wait any more, and is kept with the reason; the next one is sent', async () => {
  await leave('first', 1, published);
  await leave('second', 2, published);
  const { sent, isLeft } = await send(content => {
    if (content === 'first') throw new AppError('permission-denied', 'You may not.');
    return made(content);
  });
  expect(sent).toEqual([
    { isDraft: false, refusal: 'You may not.', saveKey: 'first' },
    { isDraft: false, postId: 'post second' },
  ]);
  expect(isLeft).toBe(false);
  const [kept, ...others] = await copiesOf(userId, null);
  expect([kept?.saveKey, kept?.waits, kept?.refusal, others]).toEqual([
    'first',
    undefined,
    'You may not.',
    [],
  ]);
});

it('a post that a logout deletes while it is refused is not kept again', async () => {
  await leave('first', 1, published);
  const { sent } = await send(async () => {
    await dropCopy(keyOf('first'));
    throw new AppError('unauthenticated', 'Log in.');
  });
  expect(sent).toEqual([]);
  expect(await copiesOf(userId, null)).toEqual([]);
});
