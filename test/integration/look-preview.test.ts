import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { firstColours } from '../../web/admin/settings/look-preview.ts';

test('the colours that a preview goes back to are those of the styles', async () => {
  const tokens = await readFile('web/styles/tokens.css', 'utf8');
  for (const [name, [light, dark]] of Object.entries(firstColours)) {
    expect(tokens).toContain(`--${name}: light-dark(${light}, ${dark});`);
  }
});
