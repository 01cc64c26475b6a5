import { useMemo } from 'react';

type Trusting = {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(html: string): string }): Rules };
};
/** What it makes counts as trusted HTML to the browser, and as a text to React and to TypeScript. */
type Rules = { createHTML(html: string): string };

/**
 * The one way from text to elements: the policy of our pages (server/surfaces/pages/web.ts) lets no other code set HTML,
 * where browsers know Trusted Types.
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
