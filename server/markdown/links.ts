import type { Root } from 'hast';
import { text } from './elements.ts';
import { eachPlace } from './walk.ts';

/**
 * What an address leads to: `local` for this site, `remote` for others, undefined if links there are not
 * allowed.
 */
export type Reach = 'local' | 'remote' | undefined;

const base = 'https://this.invalid';
const linkSchemes = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const imageSchemes = new Set(['http:', 'https:']);

/**
 * Classifies an address as a browser would read it: its parser drops tabs and line ends, ignores case and
 * treats backslashes as slashes, so only the same parser cannot be tricked.
 */
export function reachOf(address: string, kind: 'link' | 'image'): Reach {
  const allowed = kind === 'link' ? linkSchemes : imageSchemes;
  // Anything that looks like a scheme must be an allowed one, even if a browser would take it for a path
  // (`java%09script:`).
  const scheme = /^[^/?#]*?:/.exec(address)?.[0];
  if (scheme !== undefined && !allowed.has(scheme.toLowerCase())) return undefined;
  const url = URL.parse(address, base);
  if (url === null) return /^https?:/i.test(address) ? 'remote' : undefined;
  if (url.origin === base) return 'local';
  if (!allowed.has(url.protocol)) return undefined;
  return url.protocol.startsWith('http') ? 'remote' : 'local';
}

/**
 * Limits links and images to what may be followed and loaded (decision 30). A refused link leaves its
 * text, a refused image its alternative text. Links to other sites send no referrer; images load when they
 * are near the screen.
 */
export function rehypeLinks() {
  return (tree: Root) => {
    eachPlace(tree, (node, index, parent) => {
      if (node.type !== 'element') return undefined;
      if (node.tagName === 'a' && 'href' in node.properties) {
        const href = String(node.properties.href ?? '');
        const reach = reachOf(href, 'link');
        if (reach === undefined) {
          parent.children.splice(index, 1, ...node.children);
          return index;
        }
        node.properties.href = withLowerScheme(href);
        if (reach === 'remote') node.properties.rel = ['noopener', 'noreferrer'];
      }
      if (node.tagName === 'img') {
        const src = String(node.properties.src ?? '');
        const alt = String(node.properties.alt ?? '');
        if (reachOf(src, 'image') === undefined) {
          parent.children.splice(index, 1, text(alt));
          return index + 1;
        }
        Object.assign(node.properties, {
          src: withLowerScheme(src),
          alt,
          loading: 'lazy',
          decoding: 'async',
        });
      }
      return undefined;
    });
  };
}

/** The sanitiser compares schemes case-sensitively. */
const withLowerScheme = (address: string) => address.replace(/^[a-z]+:/i, scheme => scheme.toLowerCase());
