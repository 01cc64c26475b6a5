import { build } from 'vite';

/**
 * Bundles programs of the server with all that they need inside them, but for packages of machine code. `input` names each
 * program's file; they lie beside each other in `outDir`, because the program starts some of them by their files.
 */
export async function buildServer(input: Readonly<Record<string, string>>, outDir: string): Promise<void> {
  await build({
    logLevel: 'warn',
    configFile: false,
    publicDir: false,
    ssr: { noExternal: true, external: ['pg-native', 'cloudflare:sockets', 'sharp'] },
    build: {
      ssr: true,
      rolldownOptions: {
        input,
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
      outDir,
      target: 'node24',
      // Readable stacks in the logs of those who host it.
      minify: false,
      sourcemap: true,
    },
  });
}

/** The programs of which the server consists, and the files that they are made from. */
export const serverPrograms = {
  main: 'server/cli/main.ts',
  'render-worker': 'server/markdown/render-worker.ts',
  'transfer-process': 'server/transfer-process.ts',
};
