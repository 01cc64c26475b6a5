import type { Root } from 'hast';
import { isCameraName } from '../../contract/camera-name.ts';
import { eachNode } from './walk.ts';

/**
 * Removes camera names from alternative texts, so that they become no title, mail subject or caption either.
 */
export function rehypeCameraNames() {
  return (tree: Root) => {
    eachNode(tree, node => {
      if (node.type !== 'element' || node.tagName !== 'img') return;
      const { properties } = node;
      if (isCameraName(String(properties.alt ?? ''))) properties.alt = '';
      if (isCameraName(String(properties.title ?? ''))) delete properties.title;
    });
  };
}
