import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  // Packages as they are installed and bundled: the development builds of Markdown's parser take half as long again.
  ssr: { resolve: { conditions: ['node'], externalConditions: ['node'] } },
  test: {
    include: ['{contract,server,web,test,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/strict.ts',
    // A test in which no assertion ran proves nothing, whatever its title says.
    // What hangs ends; what a busy machine makes slow does not.
    expect: { requireAssertions: true, poll: { timeout: 120_000 } },
    // For two cores: tests wait for databases a third of their time.
    maxWorkers: 3,
    // Importing the server anew for each file took a third of the run; a test that needs a state of a module makes it.
    isolate: false,
    // Most of what a test makes dies young: with the default each collection finds more of it alive.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
