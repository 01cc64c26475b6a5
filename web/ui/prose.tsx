import { useMemo } from 'react';

type Trusting = {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(html: string): string }): Rules };
};
/** The result is trusted HTML for the browser, and a string for React and TypeScript. */
type Rules = { createHTML(html: string): string };

/**
 * The only code that turns text into elements: in browsers with Trusted Types, the content policy of our
 * pages (server/surfaces/pages/web.ts) lets no other code set HTML.
 */
const { trustedTypes }: Trusting = globalThis as Trusting;
const policy: Rules = trustedTypes?.createPolicy('coterie', { createHTML: html => html }) ?? {
  createHTML: html => html,
};

/** Text that the server rendered from Markdown and sanitised. */
export function Prose({ html, className = 'prose' }: { html: string; className?: string }) {
  const inner = useMemo(() => ({ __html: policy.createHTML(html) }), [html]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: server/markdown is the one place where this HTML comes from
  return <div className={className} dir="auto" dangerouslySetInnerHTML={inner} />;
}

/** The elements of such a text, not yet in a document. */
export function elementsOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = policy.createHTML(html);
  return template.content;
}
