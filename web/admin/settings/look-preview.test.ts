import { expect, test } from 'vitest';
import tokens from '../../styles/tokens.css?raw';
import { firstColours } from './look-preview.ts';

test('the colours that a preview goes back to are those of the styles', () => {
  for (const [name, [light, dark]] of Object.entries(firstColours)) {
    expect(tokens).toContain(`--${name}: light-dark(${light}, ${dark});`);
  }
});
