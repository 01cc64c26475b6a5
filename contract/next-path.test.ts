import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextPath } from './next-path.ts';

it.each([
  ...['/', '/post/x', '/post/x?tags=a,b#comments', '/tags/a%20b', '/profile'],
  ...['/%2F/evil.test', '/%5cevil.test', '/post/1?next=//evil.test'],
])('nextPath keeps %s', path => {
  expect(nextPath(path)).toBe(path);
});

it.each([
  null,
  '',
  'post/x',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '/\\\\evil.test',
  'http:/evil.test',
  '\\\\evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  '\t//evil.test',
  ' //evil.test',
  'https:evil.test',
  'https://evil.test/',
  'javascript:alert(1)',
  'data:text/html,x',
  '/..//evil.test',
  '/.//evil.test',
  '/%2e%2e//evil.test',
  '/a/..//evil.test',
  '/./\\evil.test',
])('nextPath answers / for %j', path => {
  expect(nextPath(path)).toBe('/');
});

it.each(['%2f%2fevil.test', '%252f%252fevil.test'])('nextPath does not decode %s', path => {
  expect(nextPath(path)).toBe('/');
  // Within a path it is an ordinary name.
  expect(nextPath(`/${path}`)).toBe(`/${path}`);
});

it('36. the path after signing in never leads to another site, for any input', () => {
  const part = fc.constantFrom('/', '\\', '.', '..', '\t', '\n', '@', ':', '%2f', '%5c', 'evil.test', 'http');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), parts => {
      const next = nextPath(parts.join(''));
      expect(new URL(next, 'https://site.example').origin).toBe('https://site.example');
      expect(next).toMatch(/^\/(?!\/)/);
    }),
    { numRuns: 5_000 },
  );
});
