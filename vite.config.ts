import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { smallSource } from './scripts/build-server.ts';

/** The first script: what every page needs, and the timeline and the page of a post. */
const inFirst = [
  /\/web\/(entry-client|screens)\.|\/node_modules\/(react|react-dom|scheduler|wouter|regexparam|@tanstack)\/(?!.*useMutationState)/,
  /\/contract\/(errors|files|constants|text|site-pictures)\./,
  /\/web\/app\/(?!live|sign-in-again-dialog|signed-out-notice|form|password-fields|date|code-field|use-connection|use-leave-guard|leave-guard)/,
  /\/web\/timeline\/(?!about-dialog|first-steps|welcome)|\/web\/post\/(?!lightbox|players)|\/web\/comments\/access\./,
  /\/web\/ui\/(prose|dialogs|welcome|use-(?!later|focus-return)[a-z-]+)\./,
];
/** What forms share: those of accounts, of admins and of dialogs. */
const inForms = [
  /\/web\/app\/(form|password-fields|code-field|use-leave-guard|leave-guard)\.|\/web\/account\/(account-fields|failures|invited|keep-signed-in|link-form|login-email|wish-texts)\./,
  /\/web\/ui\/(field|on-form|needs-scripts|submit-button|section|announced|busy-button|row-action|copy-actions|made-secret|use-focus-return|use-later|has-moved-on|is-composing|format-size|save-file)\.|\/contract\/(next-path|tag-name)\./,
];

/**
 * The first script names all others, and what is random does not compress: 28 bits are enough for the
 * versions of a file. Both builds name the same fonts.
 */
const names = { hashCharacters: 'hex', assetFileNames: 'assets/[name]-[hash:7][extname]' } as const;

/** Two builds of the web app: for the browser, and for rendering on the server (`--ssr`). */
export default defineConfig(({ command, isSsrBuild }) => ({
  plugins: [react()],
  // The router asks for a hook of React 18 through a package for older ones.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' }] },
  publicDir: 'web/brand',
  build: isSsrBuild
    ? {
        outDir: 'dist/web/server',
        emptyOutDir: true,
        target: 'node24',
        copyPublicDir: false,
        // The styles of a typeface that the server puts into documents name the fonts of the other build.
        assetsInlineLimit: 0,
        rolldownOptions: { output: { ...names, ...smallSource } },
      }
    : {
        outDir: 'dist/web/client',
        // In kB: the editor, which only authors load, is one of 630. What readers load bench/browser.ts
        // measures.
        chunkSizeWarningLimit: 800,
        emptyOutDir: true,
        manifest: true,
        target: 'baseline-widely-available',
        // Browsers of the last two years know light-dark() and nesting; spelt out they would double the
        // stylesheet.
        cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
        // Nothing may hide inside the stylesheet, which is part of every document.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: 'web/entry-client.tsx',
          output: {
            ...names,
            entryFileNames: 'assets/[name]-[hash:7].js',
            chunkFileNames: 'assets/[name]-[hash:7].js',
            codeSplitting: {
              // One file compresses better than twenty, and asks for fewer requests. What comes on use, and
              // what authors and admins need, stays away.
              groups: [
                { name: 'first', test: (id: string) => inFirst.some(pattern => pattern.test(id)) },
                { name: 'forms', test: (id: string) => inForms.some(pattern => pattern.test(id)) },
                { name: 'live', test: /\/web\/app\/live(-viewer)?\./ },
                { name: 'lists', test: /\/web\/admin\/(layout|tables|row-list)\./ },
              ],
            },
          },
        },
      },
  // Rendering on the server ships with the program: what it needs is inside it. React decides at run time
  // whether it is the slower one for developers, unless the build does.
  ...(command === 'build' && {
    ssr: { noExternal: true },
    define: { 'process.env.NODE_ENV': '"production"' },
  }),
}));
