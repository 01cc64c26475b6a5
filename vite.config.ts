import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const inApp = [
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store(?!.*with-selector)|@tanstack)\//,
  /\/lucide-react\/(?!.*\/icons\/)|\/icons\/(heart|message-square)\./,
  /\/contract\/(errors|files|constants|text|site-pictures)\./,
  /\/web\/(app|timeline)\/(?!page|live|about-dialog|first-steps|welcome|sign-in-again-dialog|signed-out-notice|form|password-fields|date|code-field)/,
  /\/web\/post\/(?!lightbox|page)|\/web\/comments\/(access|query)\.|\/web\/ui\/(prose|dialogs|welcome|use-[a-z-]+)\./,
];

/** Two builds of the web app: for the browser, and for rendering on the server (`--ssr`). */
export default defineConfig(({ command, isSsrBuild }) => ({
  plugins: [react()],
  publicDir: 'web/brand',
  build: isSsrBuild
    ? {
        outDir: 'dist/web/server',
        emptyOutDir: true,
        target: 'node24',
        copyPublicDir: false,
        // The styles of a typeface that the server puts into documents name the fonts of the other build.
        assetsInlineLimit: 0,
        rolldownOptions: { output: { assetFileNames: 'assets/[name]-[hash:8][extname]' } },
      }
    : {
        outDir: 'dist/web/client',
        // In kB: the editor, which only authors load, is one of 630. What readers load bench/browser.ts measures.
        chunkSizeWarningLimit: 800,
        emptyOutDir: true,
        manifest: true,
        target: 'baseline-widely-available',
        // Browsers of the last two years know light-dark() and nesting; spelt out they would double the stylesheet.
        cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
        // Nothing may hide inside the stylesheet, which is part of every document.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: 'web/entry-client.tsx',
          output: {
            // The app names them all, and what is random does not compress.
            entryFileNames: 'assets/[name]-[hash:8].js',
            chunkFileNames: 'assets/[name]-[hash:8].js',
            assetFileNames: 'assets/[name]-[hash:8][extname]',
            codeSplitting: {
              // What every page needs, and what readers then need, is one file: it compresses better than twenty, and
              // asks for fewer requests. What comes on use, and what authors and admins need, stays away.
              groups: [{ name: 'app', test: (id: string) => inApp.some(pattern => pattern.test(id)) }],
            },
          },
        },
      },
  // Rendering on the server ships with the program: what it needs is inside it.
  ...(command === 'build' && { ssr: { noExternal: true } }),
}));
