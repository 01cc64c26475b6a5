import { expect, it } from 'vitest';
import type { HistoryEntry } from './history.ts';
import { sentenceOf, wayOf } from './history-sentence.ts';

const entry: HistoryEntry = {
  id: 'h1',
  at: '2026-01-01T00:00:00.000Z',
  kind: 'user-approved',
  actor: { id: 'u1', name: 'mina' },
  via: 'browser',
  viaName: null,
  address: '203.0.113.7',
  user: { id: 'u2', name: 'lucy' },
};
const tag = (name: string) => ({ id: name, name });

it.each<[Partial<HistoryEntry>, string]>([
  [
    { before: 'pending', gave: [tag('friends'), tag('family')] },
    'mina approved lucy with “friends”, “family”.',
  ],
  [{ before: 'denied', gave: [] }, 'mina approved lucy, who was denied.'],
  [{ kind: 'user-denied', before: 'approved' }, 'mina revoked the approval of lucy.'],
  [
    { kind: 'tags-changed', gave: [tag('a')], took: [tag('b')] },
    'mina changed what lucy may read: gave “a” and took “b”.',
  ],
  [
    { kind: 'invitation-made', user: null, gave: [tag('a')], thing: tag('Choir') },
    'mina made the invitation “Choir” with “a”.',
  ],
  [
    { kind: 'invitation-made', gave: [tag('a')], thing: tag('Arthur') },
    'mina made the invitation “Arthur” with “a”, as lucy had proposed.',
  ],
  [
    { kind: 'joined', actor: entry.user, after: 'pending', gave: [], thing: tag('Choir') },
    'lucy joined by the invitation “Choir”, and waits for approval.',
  ],
  [{ kind: 'role-changed', before: 'member', after: 'admin' }, 'mina made lucy an admin.'],
  [
    { kind: 'role-changed', user: { id: 'u1', name: 'mina' }, before: 'pending', after: 'admin' },
    'mina set up the site, as its first admin.',
  ],
  [{ kind: 'password-reset', actor: null }, 'Somebody with a link set a new password for lucy.'],
  [{ kind: 'tag-merged', user: null, thing: tag('a'), after: 'b' }, 'mina merged the tag “a” into “b”.'],
  [
    { kind: 'posts-retagged', user: null, posts: 3, gave: [tag('a')], took: [tag('b'), tag('c')] },
    'mina changed the tags of 3 posts: added “a” and took away “b”, “c”.',
  ],
  [{ kind: 'post-deleted', thing: tag('On rivers') }, 'mina deleted the post “On rivers” by lucy.'],
  [
    { kind: 'post-deleted', user: { id: 'u1', name: 'mina' }, thing: { id: 'p1', name: '' } },
    'mina deleted a short post.',
  ],
  [
    { kind: 'posts-retagged', user: null, posts: 1, took: [tag('b')] },
    'mina changed the tags of 1 post: took away “b”.',
  ],
  [{ kind: 'tag-renamed', user: null, before: 'a', after: 'b' }, 'mina renamed the tag “a” to “b”.'],
  [
    { kind: 'role-changed', actor: null, via: 'command-line', after: 'admin' },
    'Somebody at the command line made lucy an admin.',
  ],
])('an entry of the history of rights is told in a sentence: %j', (fields, sentence) => {
  expect(sentenceOf({ ...entry, ...fields })).toBe(sentence);
});

it('wayOf names the token, the address or the command line by which it was done', () => {
  expect(wayOf(entry)).toBe('browser, 203.0.113.7');
  expect(wayOf({ ...entry, via: 'token', viaName: 'a script' })).toBe('token “a script”, 203.0.113.7');
  expect(wayOf({ ...entry, via: 'command-line', viaName: 'root', address: null })).toBe(
    'command line, as root',
  );
});
