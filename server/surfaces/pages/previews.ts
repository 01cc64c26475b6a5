import type { PageHead } from '../../../contract/pages.ts';
import { scriptSafe } from '../../../contract/script-safe.ts';
import { fileAddressForm } from '../../files/address.ts';
import { startTags } from '../../markdown/start-tags.ts';

/** A width that link previews show well; a picture that is smaller is shown as it is. */
const fittingWidth = 1_200;

export type Preview = { path: string; width: number; height: number; alt: string };

const ours = new RegExp(`^${fileAddressForm}$`);

/**
 * The chosen or the first picture of ours in the main part of a page, in a size that fits a link preview,
 * with its alternative text as HTML; none where null is chosen. Only for a page that everybody may see.
 */
export function previewOf(body: string, chosen?: string | null): Preview | undefined {
  if (chosen === null) return undefined;
  const main = body.slice(Math.max(0, body.indexOf('<main')));
  for (const [tag] of main.matchAll(startTags)) {
    if (!tag.startsWith('<img ')) continue;
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
    const [width, height] = [Number(attribute('width')), Number(attribute('height'))];
    if (chosen !== undefined && attribute('src') !== chosen) continue;
    if (!ours.test(attribute('src')) || !(width > 0 && height > 0)) continue;
    const sizes = [...attribute('srcset').matchAll(/(\S+) (\d+)w/g)].map(([, path = '', w]) => ({
      path,
      width: Number(w),
    }));
    const fitting = sizes.find(size => size.width >= fittingWidth) ?? { path: attribute('src'), width };
    return { ...fitting, height: Math.round((height * fitting.width) / width), alt: attribute('alt') };
  }
  return undefined;
}

/** What a page is about, for search engines, as JSON-LD (https://schema.org). */
export function structuredData(
  { title, description, kind, publishedAt, author }: PageHead,
  {
    url,
    siteUrl,
    siteTitle,
    image,
  }: { url: string; siteUrl: string; siteTitle: string; image: string | undefined },
): string {
  const blog = { '@type': 'Blog', name: siteTitle, url: siteUrl };
  const about =
    kind === 'article'
      ? {
          '@type': 'BlogPosting',
          headline: title,
          description,
          url,
          datePublished: publishedAt,
          ...(author !== undefined && { author: { '@type': 'Person', name: author } }),
          image,
          isPartOf: blog,
        }
      : { ...blog, description };
  return `<script type="application/ld+json">${scriptSafe({ '@context': 'https://schema.org', ...about })}</script>`;
}
