import { build } from 'vite';

/**
 * V8 keeps the text of a program, with two bytes for each character of a file in which one is not Latin-1.
 * Licences stay.
 */
export const smallSource = {
  charset: 'ascii',
  comments: { legal: true, annotation: false, jsdoc: false },
} as const;

/**
 * Bundles programs of the server with everything that they need, except packages with machine code. `input`
 * names each program's file. They are written next to each other in `outDir`, because the server starts some
 * of them by their files.
 */
export async function buildServer(input: Readonly<Record<string, string>>, outDir: string): Promise<void> {
  await build({
    logLevel: 'warn',
    configFile: false,
    publicDir: false,
    // ES modules have no `__dirname`, for which libheif-js asks.
    define: { __dirname: 'import.meta.dirname' },
    ssr: { noExternal: true, external: ['pg-native', 'cloudflare:sockets', 'sharp'] },
    build: {
      ssr: true,
      rolldownOptions: {
        input,
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          ...smallSource,
          // A file of its own, which somebody may exchange: its licence asks for that (docs/decisions/0007).
          codeSplitting: { groups: [{ name: 'libheif', test: /[\\/]libheif-js[\\/]/ }] },
        },
      },
      outDir,
      target: 'node24',
      // For readable stack traces in logs.
      minify: false,
      sourcemap: true,
    },
  });
}

export const serverPrograms = {
  main: 'server/cli/main.ts',
  'render-worker': 'server/markdown/render-worker.ts',
  'convert-worker': 'server/moving/import/wordpress/convert-worker.ts',
  'media-process': 'server/files/media/media-process.ts',
  'mail-worker': 'server/incoming-mail/mail-worker.ts',
  'transfer-process': 'server/transfer-process.ts',
};
