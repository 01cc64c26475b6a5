import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError, unreached } from '../../../contract/errors.ts';
import type { Call, Input } from '../../../contract/operations.ts';
import type { Draft } from './draft.ts';
import type { Base } from './editor-state.ts';
import { emptyDraft } from './post-fields.ts';
import { savePost } from './save-post.ts';

type Stored = { id: string; version: number; content: string; isDraft: boolean; saveKey: string };
type Fault = 'none' | 'request lost' | 'answer lost' | 'crash';

const draft = (content: string): Draft => ({ ...emptyDraft, content });

/** The operations that saving needs, with the rules of the server about versions and repeated saves. */
function server() {
  const posts = new Map<string, Stored>();
  const gone = new Set<string>();
  let fault: Fault = 'none';
  const shown = ({ id, version, content, isDraft }: Stored) => ({
    post: { ...emptyDraft, id, version, content, isDraft, title: null, description: null, publishedOn: '' },
  });
  const write = (name: string, input: Partial<Input<'createPost'> & Input<'updatePost'>>): Stored => {
    const { content = '', isDraft = false, saveKey = '' } = input;
    const known = [...posts.values()].find(post =>
      name === 'createPost' ? post.saveKey === saveKey : post.id === input.postId,
    );
    if (name === 'createPost') {
      if (gone.has(saveKey)) throw new AppError('aborted', 'Deleted.');
      if (known !== undefined) {
        if (known.content === content && known.isDraft === isDraft) return known;
        throw new AppError('aborted', 'Saved before.', { postId: known.id });
      }
      const made = { id: `post ${posts.size + gone.size}`, version: 1, content, isDraft, saveKey };
      posts.set(made.id, made);
      return made;
    }
    if (known === undefined) throw new AppError('not-found', 'Post not found');
    if (known.version !== input.version)
      throw new AppError('aborted', 'Saved meanwhile.', { postId: known.id });
    Object.assign(known, { content, isDraft, version: known.version + 1 });
    return known;
  };
  const call: Call = async (name, ...[input]) => {
    const asked = Object(input);
    if (name === 'getPost') {
      const post = posts.get(asked.postId);
      if (post === undefined) throw new AppError('not-found', 'Post not found');
      return shown(post) as never;
    }
    if (fault === 'request lost') throw new AppError('unavailable', 'The site cannot be reached.');
    if (fault === 'crash') throw new TypeError('of the program');
    const written = write(name, asked);
    if (fault === 'answer lost') throw new AppError('unavailable', 'The site cannot be reached.');
    return shown(written) as never;
  };
  return {
    posts,
    call,
    break: (next: Fault) => {
      fault = next;
    },
    delete: (id: string) => {
      const post = posts.get(id);
      if (post !== undefined) gone.add(post.saveKey);
      posts.delete(id);
    },
  };
}

const over = ({ id, version }: Stored): Base => ({ postId: id, version, publishedOn: '' });

it.each<[Fault, string]>([
  ['none', 'saved'],
  ['request lost', 'failed'],
  ['answer lost', 'failed'],
  ['crash', 'failed'],
])('with the fault %j a save is %s, and repeating it makes one post', async (fault, kind) => {
  const { posts, call, break: fail } = server();
  const saving = { draft: draft('Words.'), isDraft: false, base: null, saveKey: 'key' };
  const context = { call, askForNew: async () => true };
  fail(fault);
  expect((await savePost(context, saving)).kind).toBe(kind);
  fail('none');
  expect(await savePost(context, saving)).toMatchObject({ kind: 'saved' });
  expect([...posts.values()].map(({ content }) => content)).toEqual(['Words.']);
});

it.each([true, false])(
  'a text whose post was deleted becomes a new one only if the author says so: %j',
  async isWanted => {
    const { posts, call, delete: remove } = server();
    const context = { call, askForNew: async () => isWanted };
    const saving = { draft: draft('Words.'), isDraft: false, base: null, saveKey: 'key' };
    await savePost(context, saving);
    const [post] = posts.values();
    if (post === undefined) throw new Error('Nothing was saved.');
    remove(post.id);
    const again = { ...saving, draft: draft('More words.'), base: over(post) };
    expect((await savePost(context, again)).kind).toBe(isWanted ? 'saved' : 'declined');
    expect((await savePost(context, { ...saving, draft: draft('More words.') })).kind).toBe(
      isWanted ? 'saved' : 'declined',
    );
    expect([...posts.values()].map(({ content }) => content)).toEqual(isWanted ? ['More words.'] : []);
  },
);

it('an error is reported for its field, and once if it belongs to no field', async () => {
  const saving = { draft: draft('Words.'), isDraft: false, base: null, saveKey: 'key' };
  const refused = async (error: AppError) =>
    await savePost({ call: () => Promise.reject(error), askForNew: async () => true }, saving);
  const fields = { tags: 'Too many tags.' };
  expect(await refused(new AppError('invalid-argument', 'Wrong.', { fields }))).toEqual({
    kind: 'failed',
    fields,
    isFinal: true,
    isUnreached: false,
  });
  // As the server names them for a tag or a file in its place, and for what the editor shows nowhere.
  const places = {
    'tags.2': 'A tag is too long.',
    'tags.3': 'Another.',
    'attachments.0.url': 'Bad.',
    saveKey: 'No.',
  };
  expect(await refused(new AppError('invalid-argument', 'Wrong.', { fields: places }))).toEqual({
    kind: 'failed',
    fields: { tags: 'A tag is too long.', attachments: 'Bad.', save: 'No.' },
    isFinal: true,
    isUnreached: false,
  });
  const file = {
    url: '/files/a',
    name: 'a.png',
    type: 'image/png',
    size: 1,
    description: '',
    thumbnail: null,
  };
  const withFile = { ...saving, draft: { ...saving.draft, attachments: [file] } };
  const error = new AppError('invalid-argument', 'Wrong.', { fields: { 'attachments.0.url': 'Gone.' } });
  const call = () => Promise.reject(error);
  expect(await savePost({ call, askForNew: async () => true }, withFile)).toEqual({
    kind: 'failed',
    fields: { attachments: 'a.png: Gone.' },
    isFinal: true,
    isUnreached: false,
  });
  expect(await refused(new AppError('resource-exhausted', 'Too often.'))).toEqual({
    kind: 'failed',
    fields: { save: 'Too often.' },
    isFinal: false,
    isUnreached: false,
  });
  expect(await refused(new AppError('unavailable', 'Gone.', unreached))).toEqual({
    kind: 'failed',
    fields: { save: 'Gone.' },
    isFinal: false,
    isUnreached: true,
  });
});

it('a save never claims a text is saved that is not, makes no second post, and overwrites nobody without asking', async () => {
  const step = fc.constantFrom(
    'write',
    'save',
    'lose the answer',
    'lose the request',
    'another saves',
    'keep mine',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
      const { posts, call, break: fail } = server();
      let [content, base]: [string, Base] = ['Text.', null];
      let theirs: string | undefined;
      for (const [index, name] of steps.entries()) {
        const [post] = posts.values();
        if (name === 'write') content = `Text ${index}.`;
        if (name === 'another saves' && post !== undefined) {
          theirs = `Theirs ${index}.`;
          Object.assign(post, { content: theirs, version: post.version + 1 });
        }
        // The author has seen both texts, and chosen.
        if (name === 'keep mine' && post !== undefined) [base, theirs] = [over(post), undefined];
        if (!/^(?:save|lose)/.test(name)) continue;
        fail(
          name === 'lose the answer' ? 'answer lost' : name === 'lose the request' ? 'request lost' : 'none',
        );
        const saving = { draft: draft(content), isDraft: false, base, saveKey: 'key' };
        const outcome = await savePost({ call, askForNew: async () => false }, saving);
        fail('none');
        const [now] = posts.values();
        expect(posts.size).toBeLessThanOrEqual(1);
        if (outcome.kind === 'saved') {
          expect(now?.content).toBe(content);
          base = now === undefined ? base : over(now);
        }
        if (theirs !== undefined) expect(now?.content).toBe(theirs);
        if (outcome.kind === 'conflict') expect(outcome.theirs.content).toBe(now?.content);
      }
    }),
    { numRuns: 500 },
  );
});
