import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['{contract,server,web,test,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/strict.ts',
    // Two cores, and each file on PostgreSQL keeps a pool of connections.
    maxWorkers: 2,
    retry: process.env.CI ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
