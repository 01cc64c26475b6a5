import type { Root } from 'hast';
import { isCameraName } from '../../contract/camera-name.ts';
import { eachNode } from './walk.ts';

/**
 * The name that a camera gave to a picture is no alternative text, and so no title, mail subject or caption
 * either.
 */
export function rehypeCameraNames() {
  return (tree: Root) => {
    eachNode(tree, node => {
      if (node.type !== 'element' || node.tagName !== 'img') return;
      if (isCameraName(String(node.properties.alt ?? ''))) node.properties.alt = '';
    });
  };
}
