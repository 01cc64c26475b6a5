import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BrowserCopy, StoredCopy } from './browser-copy.ts';
import type { Draft, Post } from './draft.ts';
import {
  baseOf,
  type EditorEvent,
  type EditorState,
  editorReducer,
  initialState,
  isUnsaved,
} from './editor-state.ts';
import { draftOf, emptyDraft } from './post-fields.ts';
import { type CopyStore, restoreCopy, takeTheirs } from './replace-text.ts';

const post = (content: string, version = 1): Post => ({
  id: 'post',
  type: 'short',
  title: null,
  description: null,
  content,
  tags: [],
  attachments: [],
  publishedOn: 'Today',
  shownIn: 'timeline',
  isDraft: false,
  can: { edit: true },
  version,
});
const draft = (content: string): Draft => ({ ...emptyDraft, content });
const tagged = (name: string): Post => ({ ...post('First.'), tags: [name], tagIds: ['a tag'] });
const copy = (content: string, more: Partial<StoredCopy> = {}): StoredCopy => ({
  key: `key of ${content}`,
  draft: draft(content),
  savedAt: 1,
  version: 1,
  saveKey: `save key of ${content}`,
  ...more,
});
const edited = (content: string): EditorEvent => ({
  type: 'edited',
  change: before => ({ ...before, content }),
});
const after = (state: EditorState, ...events: EditorEvent[]) => events.reduce(editorReducer, state);

const states: Record<string, EditorState> = {
  'of a new post': initialState(null, 'mine'),
  'of a post': initialState(post('First.'), 'mine'),
  'with changes': after(initialState(post('First.'), 'mine'), edited('Changed.')),
  'with copies': after(initialState(post('First.'), 'mine'), {
    type: 'copy found',
    copy: copy('Left.'),
  }),
  'with a restored text': after(initialState(post('First.'), 'mine'), {
    type: 'restored',
    copy: copy('Left.'),
  }),
};
const theirs = post('Theirs.', 7);
/** What each event changes, and nothing else. */
const events: Record<EditorEvent['type'], [EditorEvent, Partial<EditorState>]> = {
  'tags loaded': [{ type: 'tags loaded', tags: [{ id: 'a tag', name: 'relatives' }] }, {}],
  edited: [edited('New.'), { draft: draft('New.') }],
  dated: [{ type: 'dated', isQuiet: false, date: '2021-03-05' }, { date: '2021-03-05' }],
  'copy found': [{ type: 'copy found', copy: copy('Other.') }, {}],
  restored: [
    { type: 'restored', copy: copy('Restored.', { uploads: ['a.png'], date: '2021-03-05' }) },
    {
      draft: draft('Restored.'),
      date: '2021-03-05',
      saveKey: 'save key of Restored.',
      copies: [],
      lost: ['a.png'],
    },
  ],
  'offer ended': [{ type: 'offer ended', key: 'key of Left.' }, { copies: [] }],
  'theirs taken': [
    { type: 'theirs taken', theirs, mine: copy('Mine.'), saveKey: 'next' },
    {
      draft: draftOf(theirs),
      saved: draftOf(theirs),
      base: baseOf(theirs),
      saveKey: 'next',
      copies: [copy('Mine.')],
    },
  ],
  saved: [
    { type: 'saved', draft: draft('Sent.'), post: post('Sent.', 2) },
    { saved: draft('Sent.'), base: baseOf(post('Sent.', 2)) },
  ],
  'theirs seen': [
    { type: 'theirs seen', theirs },
    { saved: draftOf(theirs), base: baseOf(theirs) },
  ],
  'lost dismissed': [{ type: 'lost dismissed' }, { lost: [] }],
};

for (const [name, state] of Object.entries(states)) {
  it.each(Object.entries(events))(
    `the state of an editor ${name} changes with the event '%s' only in what the event is about`,
    (type, [event, changed]) => {
      const next = editorReducer(state, event);
      const replaces = ['restored', 'theirs taken'].includes(type);
      const { copies, base, revision, ...rest } = next;
      expect(rest).toEqual({ ...state, ...changed, copies: undefined, base: undefined, revision: undefined });
      expect(revision).toBe(state.revision + (replaces ? 1 : 0));
      if (type === 'copy found') expect(copies).toEqual([...state.copies, copy('Other.')]);
      else expect(copies).toEqual(changed.copies ?? state.copies);
      if (type !== 'restored') expect(base).toEqual('base' in changed ? changed.base : state.base);
      // A text that is based on an older version keeps that base, so that saving it asks.
      else expect(base).toEqual(state.base && { ...state.base, version: 1 });
    },
  );
}

it('a draft that is saved while it is written is the saved text, and offers no copies of other new posts', () => {
  const state = after(
    initialState(null, 'mine'),
    { type: 'copy found', copy: copy('Left.') },
    edited('Sent.'),
  );
  const written = after(state, edited('Sent, and more.'), {
    type: 'saved',
    draft: state.draft,
    post: post('Sent.'),
  });
  expect([written.draft.content, isUnsaved(written), written.copies]).toEqual(['Sent, and more.', true, []]);
  expect(isUnsaved(after(written, edited('Sent.')))).toBe(false);
});

it('a tag that was renamed elsewhere has its new name in the text and in the saved post, and leaves nothing unsaved', () => {
  const opened = initialState(tagged('family'), 'mine');
  const loaded = editorReducer(opened, { type: 'tags loaded', tags: [{ id: 'a tag', name: 'relatives' }] });
  expect([loaded.draft.tags, loaded.saved.tags]).toEqual([['relatives'], ['relatives']]);
  expect(isUnsaved(loaded)).toBe(false);
  // Nothing is drawn again for a list that changes nothing.
  expect(editorReducer(loaded, { type: 'tags loaded', tags: [{ id: 'a tag', name: 'relatives' }] })).toBe(
    loaded,
  );
});

it('an editor offers neither its own copy nor one that equals the saved post, and each copy once', () => {
  const withFiles = copy('First.', { key: 'with files', uploads: ['a.png'] });
  const later = { ...withFiles, savedAt: 2 };
  const found = [copy('First.'), withFiles, copy('Own.', { saveKey: 'mine' }), later];
  const state = after(
    initialState(post('First.'), 'mine'),
    ...found.map((one): EditorEvent => ({ type: 'copy found', copy: one })),
  );
  expect(state.copies).toEqual([later]);
});

it('offered copies are sorted from the newest to the oldest, in whatever order they are found', () => {
  const state = after(
    initialState(null, 'mine'),
    ...[2, 3, 1].map(
      (savedAt): EditorEvent => ({
        type: 'copy found',
        copy: copy(`Of ${savedAt}.`, { savedAt }),
      }),
    ),
  );
  expect(state.copies.map(({ savedAt }) => savedAt)).toEqual([3, 2, 1]);
});

it('the text of a deleted post becomes that of a new one under another key, if there is room for it', async () => {
  const left = copy('Left.', { isOfDeletedPost: true });
  for (const room of [1, 2]) {
    const { stored, store } = browser(room);
    await store.put(left.key, left);
    const event = await restoreCopy(initialState(null, 'mine'), left, store);
    if (room === 1) {
      expect(event).toBeUndefined();
      expect([...stored.keys()]).toEqual([left.key]);
    } else {
      expect(event?.copy).toMatchObject({ draft: left.draft, version: null, key: `${left.saveKey}-again` });
      expect([...stored.keys()]).toEqual([event?.copy.key]);
    }
  }
});

/** A browser with room for a number of copies. */
function browser(room: number): { stored: Map<string, BrowserCopy>; store: CopyStore } {
  const stored = new Map<string, BrowserCopy>();
  const store: CopyStore = {
    keyOf: saveKey => saveKey,
    put: async (key, copied) => {
      if (!stored.has(key) && stored.size >= room) return false;
      stored.set(key, copied);
      return true;
    },
    drop: async key => {
      stored.delete(key);
    },
    now: () => 1,
  };
  return { stored, store };
}

it('no text is lost, whatever is written, restored, taken from others and opened again, however little room there is', async () => {
  const step = fc.constantFrom('write', 'store', 'restore', 'discard', 'take theirs', 'open again');
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 0, max: 4 }),
      async (steps, room) => {
        const { stored, store } = browser(room);
        let saved = post('First.');
        let state = initialState(saved, 'key 0');
        const dropped = new Set(['First.']);
        const apply = (event: EditorEvent | undefined) => {
          if (event !== undefined) state = editorReducer(state, event);
        };
        for (const [index, name] of steps.entries()) {
          const before = state.draft.content;
          const [offered] = state.copies;
          if (name === 'write') {
            // Text that the author changes is not lost.
            dropped.add(before);
            apply(edited(`Text ${index}.`));
          }
          // As use-browser-copy.ts does while the author pauses.
          if (name === 'store' || name === 'open again') {
            const isStored =
              !isUnsaved(state) ||
              (await store.put(state.saveKey, {
                ...copy(before),
                draft: state.draft,
                saveKey: state.saveKey,
              }));
            if (!isUnsaved(state)) await store.drop(state.saveKey);
            // The editor says that there is no room, and asks before the author leaves.
            if (name === 'open again' && !isStored) dropped.add(before);
          }
          if (name === 'open again') {
            state = initialState(saved, `key ${index + 1}`);
            for (const [key, one] of stored) apply({ type: 'copy found', copy: { ...one, key } });
          }
          if (name === 'restore' && offered !== undefined) apply(await restoreCopy(state, offered, store));
          if (name === 'discard' && offered !== undefined) {
            dropped.add(offered.draft.content);
            await store.drop(offered.key);
            apply({ type: 'offer ended', key: offered.key });
          }
          if (name === 'take theirs') {
            dropped.add(saved.content);
            saved = post(`Theirs ${index}.`, index + 2);
            apply(await takeTheirs(state, saved, { uploads: [], saveKey: `key ${index + 1}` }, store));
          }
          const there = [state.draft, ...[...stored.values()].map(one => one.draft)].map(
            ({ content }) => content,
          );
          const lost = [before, ...(offered === undefined ? [] : [offered.draft.content])].filter(
            text => !there.includes(text) && !dropped.has(text) && text !== saved.content,
          );
          expect(lost).toEqual([]);
        }
      },
    ),
    { numRuns: 500 },
  );
});
