import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { Config } from '../../config.ts';
import type { RequestVariables } from '../../http/request.ts';
import {
  callers,
  type DescribedOperation,
  describedOperations,
  inputSchema,
  openapiDocument,
  outputSchema,
} from './document.ts';

/** `/api/openapi.json`: the contract for programs. `/api/docs`: the same for people, without a script. */
export function openapiSurface(app: Hono<RequestVariables>, config: Config): void {
  // Made at the first request: it describes the program and never changes while it runs.
  let json: string | undefined;
  let docs: string | undefined;
  app.get('/api/openapi.json', c => {
    json ??= JSON.stringify(openapiDocument(config), null, 2);
    c.header('cache-control', 'private, no-cache');
    return c.body(json, 200, { 'content-type': 'application/json; charset=utf-8' });
  });
  app.get('/api/docs', c => {
    docs ??= String(page(config));
    c.header('cache-control', 'private, no-cache');
    c.header(
      'content-security-policy',
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'self'",
    );
    return c.html(docs);
  });
  app.get('/api/docs/', c => c.redirect('/api/docs', 301));
  app.get('/api/docs.css', c =>
    c.body(style, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, no-cache' }),
  );
}

function page({ siteTitle, publicUrl: site, storageBucket }: Config) {
  const title = `${siteTitle}: for programs`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/api/docs.css">
</head>
<body>
<main>
<h1>${title}</h1>
<p>Every operation is a call: <code>POST ${site}/api/{name}</code> with the body <code>{"data": …}</code>. The answer is
<code>{"result": …}</code>, or <code>{"error": {"status", "message", "details"}}</code>. Sign in with
<code>Authorization: Bearer</code> and a personal access token from <a href="/account#tokens-title">your account page</a>; without one you
see what visitors see.</p>
<pre tabindex="0"><code>curl ${site}/api/getPosts -H 'content-type: application/json' -H 'authorization: Bearer coterie_…' -d '{"data": {}}'</code></pre>
<p>The protocol is that of Firebase’s callable functions: <code>getFunctions(app, '${site}/api')</code> and
<code>httpsCallable</code> work as they are. Files are spoken of as Firebase’s storage does, in the bucket
<code>${storageBucket}</code>. The same description for machines: <a href="/api/openapi.json">openapi.json</a>.</p>
<nav aria-label="Operations"><ul>
${describedOperations.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>\n`)}
</ul></nav>
${describedOperations.map(section)}
</main>
</body>
</html>
`;
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

const style = `:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem 1.25rem 6rem; background: light-dark(#fbfaf7, #16171a); color: light-dark(#23211d, #e6e3dc);
  font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-inline-size: 44rem; margin-inline: auto; }
h1 { font-size: 1.75rem; line-height: 1.2; text-wrap: balance; }
h2 { margin-block: 0 .25rem; font: 600 1.125rem/1.4 ui-monospace, monospace; }
section { margin-block-start: 2.5rem; }
p { margin-block: .5rem; overflow-wrap: anywhere; }
small { color: light-dark(#625d54, #a8a297); font-size: inherit; }
a { color: light-dark(#8a3b12, #f0a878); }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem 1rem; border-radius: .375rem; background: light-dark(#f1eee7, #202226); }
summary { min-block-size: 2.75rem; display: flex; align-items: center; cursor: pointer; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-block-start: 1.5rem; padding: 0; list-style: none; }
nav a { display: inline-block; padding-block: .6rem; }
:focus-visible { outline: 2px solid currentColor; outline-offset: 3px; }
`;
