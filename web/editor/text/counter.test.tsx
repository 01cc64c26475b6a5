import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { shortPostMaxCharacters as most } from '../../../contract/constants.ts';
import { Counter, countedCharacters } from './counter.tsx';

const said = (characters: number) => renderToStaticMarkup(<Counter characters={characters} />);

it('the counter changes its colour near the limit, and says by how much a text is too long', () => {
  expect(said(0)).toContain('0 / 300');
  expect(said(most - 20)).toContain('20 characters left');
  expect(said(most + 1)).toContain('>1 character too many.');
  expect(said(countedCharacters)).toContain('>2,700 characters too many.');
  expect(said(countedCharacters + 1)).toMatch(/3000\+ \/ 300.*>More than 2,700 characters too many\./);
});
