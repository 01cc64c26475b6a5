import { build } from 'vite';
import { expect, test } from 'vitest';

test('pages are rendered by the React for production, whatever NODE_ENV is', async () => {
  const built = await build({
    logLevel: 'silent',
    build: { ssr: true, write: false, rolldownOptions: { input: 'react-dom/server' } },
  });
  const output = 'output' in built ? built.output : [];
  const modules = output.flatMap(file => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  expect(modules.filter(id => id.includes('.production.'))).not.toEqual([]);
  expect(modules.filter(id => id.includes('.development.'))).toEqual([]);
});
