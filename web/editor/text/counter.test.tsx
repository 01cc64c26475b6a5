import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { shortPostMaxCharacters as most } from '../../../contract/constants.ts';
import { Counter, countedCharacters } from './counter.tsx';

const said = (characters: number) =>
  renderToStaticMarkup(<Counter characters={characters} most={most} of="A short post" />);

it('the counter changes its colour near the limit, and says by how much a text is too long', () => {
  expect(said(0)).toContain('0 / 300');
  expect(said(most - 20)).toContain('20 characters left');
  expect(said(most + 1)).toContain('>A short post has at most 300 characters. Remove 1 to save it.<');
  expect(said(countedCharacters)).toContain('Remove 2,700 to save it.');
  expect(said(countedCharacters + 1)).toMatch(/3000\+ \/ 300.*Remove more than 2,700 to save it\./);
});

it('a quiet counter shows its number only near the limit', () => {
  const quiet = (characters: number) =>
    renderToStaticMarkup(<Counter characters={characters} most={200} of="A title" isQuiet />);
  expect(quiet(179)).not.toContain('/ 200');
  expect(quiet(180)).toContain('180 / 200');
  expect(quiet(201)).toMatch(/over.*201 \/ 200.*A title has at most 200 characters\. Remove 1 to save it\./);
});
