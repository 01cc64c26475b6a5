import type { Root } from 'hast';
import { visit } from 'unist-util-visit';
import { isCameraName } from '../../contract/camera-name.ts';

/**
 * The name that a camera gave to a picture is no alternative text, and so no title, mail subject or caption
 * either.
 */
export function rehypeCameraNames() {
  return (tree: Root) => {
    visit(tree, 'element', ({ tagName, properties }) => {
      if (tagName === 'img' && isCameraName(String(properties.alt ?? ''))) properties.alt = '';
    });
  };
}
