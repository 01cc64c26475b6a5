import { expect, it } from 'vitest';
import type { BrowserCopy } from './browser-copy.ts';
import { type CopyState, CopyWriter } from './copy-writer.ts';
import { emptyDraft } from './post-fields.ts';

/** A writer for a browser that answers each request to store or delete when the test says so. */
function open() {
  const asked: [content: string, answer: (isKept: boolean) => void][] = [];
  const states: CopyState[] = [];
  let now = 0;
  const ask = (content: string) => new Promise<boolean>(answer => asked.push([content, answer]));
  const store = {
    put: (_: string, copy: BrowserCopy) => ask(copy.draft.content),
    drop: async () => void (await ask('deleted')),
    now: () => now,
  };
  const writer = new CopyWriter(store, state => states.push(state));
  const copyOf = (content: string) => ({
    draft: { ...emptyDraft, content },
    version: 1,
    saveKey: 'key',
    uploads: [],
  });
  return {
    writer,
    states,
    requests: () => asked.map(([content]) => content),
    answer: (isKept: boolean) => asked.at(-1)?.[1](isKept),
    write: (content: string) => writer.take({ key: 'key', copy: copyOf(content) }),
    save: () => writer.take({ key: 'key', copy: null }),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

it('whoever asks while a text is being stored is told whether there was room for this one', async () => {
  const { writer, states, requests, answer, write } = open();
  write('First.');
  const first = writer.store();
  answer(true);
  expect(await first).toBe(true);
  write('A longer text.');
  const [second, again] = [writer.store(), writer.store()];
  answer(false);
  expect(await Promise.all([second, again])).toEqual([false, false]);
  expect(requests()).toEqual(['First.', 'A longer text.']);
  expect(states).toEqual(['stored', 'failed']);
});

it('a text is stored when typing pauses, and two seconds after it has begun at the latest', () => {
  const { write, pass } = open();
  expect(write('A')).toBe(400);
  pass(1_900);
  expect(write('A text')).toBe(100);
  pass(200);
  expect(write('A text.')).toBe(0);
});

it('a text that equals the saved one again is deleted from the browser, also while it is being stored', async () => {
  const { writer, requests, answer, write, save } = open();
  write('Not stored yet.');
  expect(save()).toBeUndefined();
  expect(await writer.store()).toBe(true);
  expect(requests()).toEqual([]);
  write('Being stored.');
  void writer.store();
  expect(save()).toBe(400);
  const deleted = writer.store();
  answer(true);
  expect(await deleted).toBe(true);
  expect(requests()).toEqual(['Being stored.', 'deleted']);
});

it('nothing is stored after the writer was stopped', async () => {
  const { writer, requests, write } = open();
  write('Saved on the site.');
  writer.stop();
  expect(await writer.store()).toBe(true);
  expect(requests()).toEqual([]);
});
