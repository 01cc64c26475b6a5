import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Config } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import type { RequestVariables } from '../../http/request.ts';
import { reportedPolicy } from '../../http/security-headers.ts';
import { bareDocument, iconLinks } from '../pages/document.ts';
import { commonAssets, lookOf, type Web } from '../pages/web.ts';
import { documentOf, sendDocument, type TextDocument } from '../xml-documents.ts';
import {
  callers,
  type DescribedOperation,
  describedOperations,
  inputSchema,
  openapiDocument,
  outputSchema,
} from './document.ts';

/**
 * `/api/openapi.json`: the contract for programs. `/api/docs`: the same for people, in the styles of the app.
 */
export function openapiSurface(app: Hono<RequestVariables>, deps: Deps, web: Web): void {
  const { config, settings } = deps;
  // Made once for each name of the site: the program does not change while it runs.
  let made: { title: string; json: TextDocument; docs: Promise<HtmlEscapedString> } | undefined;
  const current = async () => {
    await deps.changes.caughtUp();
    const { title } = await settings();
    if (made?.title !== title) {
      const json = documentOf(JSON.stringify(openapiDocument({ ...config, title }), null, 2));
      made = { title, json, docs: content(title, config) };
    }
    return made;
  };
  app.get('/api/openapi.json', async c => {
    await deps.limits.countVisit(c.var.requestIdentity.network);
    const { json } = await current();
    return sendDocument(c, json, 'application/json', 'private, no-cache');
  });
  app.get('/api/docs', async c => {
    await deps.limits.countVisit(c.var.requestIdentity.network);
    const { title, docs } = await current();
    const site = await settings();
    const assets = await commonAssets(web, lookOf(site));
    const head = (assets?.head ?? '') + ownHead + iconLinks(site);
    return c.html(bareDocument(title, titleOf(title), await docs, head), 200, {
      ...(assets && reportedPolicy(assets.policy, config)),
      'cache-control': 'private, no-cache',
    });
  });
  app.get('/api/docs/', c => c.redirect('/api/docs', 301));
  app.get('/api/docs.css', c =>
    c.body(style, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, no-cache' }),
  );
}

const ownHead = '<link rel="stylesheet" href="/api/docs.css">';

const titleOf = (title: string) => `${title}: for programs`;

async function content(title: string, { publicUrl: site, storageBucket }: Config) {
  return await html`<main class="page docs">
<header><h1>${titleOf(title)}</h1></header>
<p>Every operation is a call: <code>POST ${site}/api/{name}</code> with the body <code>{"data": &hellip;}</code>. The answer is
<code>{"result": &hellip;}</code>, or <code>{"error": {"status", "message", "details"}}</code>. Sign in with
<code>Authorization: Bearer</code> and a personal access token from <a href="/account#tokens-title">your account page</a>; without one you
see what visitors see.</p>
<pre tabindex="0"><code>curl ${site}/api/getPosts -H 'content-type: application/json' -H 'authorization: Bearer coterie_&hellip;' -d '{"data": {}}'</code></pre>
<p>The protocol is that of Firebase&rsquo;s callable functions: <code>getFunctions(app, '${site}/api')</code> and
<code>httpsCallable</code> work as they are. Files are spoken of as Firebase&rsquo;s storage does, in the bucket
<code>${storageBucket}</code>. The same description for machines: <a href="/api/openapi.json">openapi.json</a>.</p>
<nav aria-label="Operations"><ul>
${describedOperations.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>\n`)}
</ul></nav>
${describedOperations.map(section)}
</main>`;
}

function section(operation: DescribedOperation) {
  const { name, summary } = operation;
  return html`<section id="${name}" aria-labelledby="${name}-name">
<h2 id="${name}-name">${name}</h2>
<p>${summary} <small>${callers[operation.for]}</small></p>
${schemaBlock('Input', inputSchema(operation))}
${schemaBlock('Output', outputSchema(operation))}
</section>
`;
}

function schemaBlock(label: string, schema: object) {
  const text = JSON.stringify(schema, null, 2);
  return html`<details><summary>${label}</summary><pre tabindex="0"><code>${text}</code></pre></details>`;
}

/** Styles that the app lacks, made from its tokens (web/styles/tokens.css). */
const style = `.docs { --measure: 44rem; }
.docs p { margin-block: var(--space); font-size: 1rem; line-height: var(--leading); overflow-wrap: anywhere; }
.docs section { margin-block-start: calc(var(--space) * 5); scroll-margin-block-start: calc(var(--space) * 2); }
.docs h2 { font: 600 1.0625rem/1.4 var(--mono); overflow-wrap: anywhere; }
.docs small { color: var(--muted); font-size: inherit; }
.docs code { font: .875em/1.5 var(--mono); }
.docs pre { margin-block: var(--space); overflow-x: auto; padding: calc(var(--space) * 1.5) calc(var(--space) * 2); background: var(--tint); font-size: .9375rem; }
.docs summary { min-block-size: var(--touch); display: flex; align-items: center; color: var(--accent); cursor: pointer; }
.docs nav ul { display: flex; flex-wrap: wrap; gap: 0 calc(var(--space) * 2.5); margin-block-start: calc(var(--space) * 3); }
.docs nav a { display: inline-block; padding-block: .6rem; font: .875rem/1.5 var(--mono); }
`;
