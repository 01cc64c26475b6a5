import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createServer as createVite } from 'vite';
import { setupLink } from './accounts/sign-in/setup.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { startJobs } from './jobs.ts';
import { openDeps } from './open-deps.ts';
import { loadSettingsFile } from './settings-file.ts';

/**
 * `npm run dev`: runs the server from its sources, restarts it when they change, and serves the web app with
 * Vite.
 */
loadSettingsFile();
const config = readConfig(process.env);
const vite = await createVite({ server: { middlewareMode: true }, appType: 'custom' });
const deps = await openDeps(config);
startJobs(deps);
const { queryOf } = await vite.ssrLoadModule('/web/entry-server.tsx');
const app = createApp(deps, {
  clientDir: undefined,
  queryOf,
  render: async (address, call) => {
    const { render } = await vite.ssrLoadModule('/web/entry-server.tsx');
    return await render(address, call);
  },
  assetsOf: async (_, look) => {
    const { themeScript, placeholderScript, typefaceStyles } =
      await vite.ssrLoadModule('/web/entry-server.tsx');
    const entry = '<script type="module" src="/web/entry-client.tsx"></script>';
    return {
      head: `<script>${themeScript}</script>${await vite.transformIndexHtml('/', entry)}<style>${typefaceStyles[look.typeface]}${look.css}</style>`,
      placeholders: `<script>${placeholderScript}</script>`,
      end: '',
      // Vite's client needs more than the site's policy allows.
      policy: '',
    };
  },
});
const listener = getRequestListener(app.fetch);
const server = createServer((request, response) => {
  vite.middlewares(request, response, () => listener(request, response));
});
server.listen(config.port, config.host);
await once(server, 'listening');
const link = await setupLink(deps);
process.stdout.write(
  `\n${config.publicUrl}\n${link === undefined ? '' : `Create the first admin: ${link}\n`}`,
);
