/** Text that the server rendered from Markdown and sanitised. */
export function Prose({ html, className = 'prose' }: { html: string; className?: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: server/markdown is the one place where this HTML comes from
  return <div className={className} dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}
