import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import './test/support/no-settings.ts';

/** Short files whose tests take long. Vitest begins with the largest files, and would end with these. */
const longRunning =
  /\/(?:prove|canary|seed|held-rights|archive-kills|upload-processes|import-kills)\.test\.ts$/;

class LongRunningFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [first = [], others = []] = [true, false].map(isLong =>
      files.filter(file => longRunning.test(file.moduleId) === isLong),
    );
    return [...(await super.sort(first)), ...(await super.sort(others))];
  }
}

export default defineConfig({
  plugins: [react()],
  // Packages as installed: the development builds of Markdown's parser take half as long again.
  ssr: { resolve: { conditions: ['node'], externalConditions: ['node'] } },
  test: {
    include: ['{contract,server,web,test,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/strict.ts',
    // What the server starts beside itself, built: from the sources a mail takes three times as long.
    alias: [
      {
        find: /^.*\/base\/program\.ts$/,
        replacement: join(import.meta.dirname, 'test/processes/built-program.ts'),
      },
    ],
    // A test in which no assertion ran proves nothing, whatever its title says.
    // What hangs ends; what a busy machine makes slow does not.
    expect: { requireAssertions: true, poll: { timeout: 120_000 } },
    // For two cores: tests wait for databases a third of their time.
    maxWorkers: 3,
    // Importing the server for each file took a third of the run; a test makes the module state it needs.
    isolate: false,
    // Most of what a test makes dies young: with the default each collection finds more of it alive.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongRunningFirst },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
