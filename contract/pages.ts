/** What a page tells a browser, a search engine or a link preview about itself. */
export type PageHead = {
  /** Without the site's name. Empty on the timeline, which is the site itself. */
  title: string;
  description?: string;
  /** The canonical path for search engines. Without it the page asks not to be indexed. */
  canonical?: string;
  /** OpenGraph type. */
  kind?: 'website' | 'article';
  publishedAt?: string | undefined;
  /** The address of the picture for link previews; null for none, left out for the first of the page. */
  picture?: string | null | undefined;
  /** The author, if the page shows one. */
  author?: string | undefined;
  /** A tag whose feed has the posts of the page that visitors may read. */
  feedTag?: string | undefined;
};

/** A page rendered on the server: the parts that the document around it needs. */
export type RenderedPage =
  | {
      status: number;
      head: PageHead;
      siteTitle: string;
      /** The app's markup. */
      body: string;
      /** The answers that it was rendered from, as JSON that is safe in a script element. */
      state: string;
      /** The source file of its screen, whose script the document preloads. */
      screen: string;
    }
  | { status: 302 | 303; location: string };

/** The title of a document: the page's own, then the site's. */
export function documentTitle(pageTitle: string, siteTitle: string): string {
  return pageTitle === '' ? siteTitle : `${pageTitle} · ${siteTitle}`;
}
