import { expect, it } from 'vitest';
import { storableName } from './storable.ts';

it('a file whose name would lead to a folder, or is none, is called file', () => {
  for (const name of ['', ' ', '\0', '.', '..', ' ..\n'])
    expect([name, storableName(name)]).toEqual([name, 'file']);
  for (const name of ['...', '..png', 'a.png']) expect(storableName(name)).toBe(name);
});
