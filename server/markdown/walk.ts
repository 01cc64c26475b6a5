import type { Nodes as HtmlNodes } from 'hast';
import type { Nodes } from 'mdast';

/**
 * Calls `act` with each node of a tree, parents before their children, in the order of the text; children
 * that `act` has given a node are met, too. For walks that need no more than that: unist-util-visit names a
 * function for every node, which took a fifth of the time of rendering.
 */
export function eachNode<Tree extends Nodes | HtmlNodes>(
  tree: Tree,
  act: (node: NodeOf<Tree>) => void,
): void {
  const waiting: NodeOf<Tree>[] = [tree as NodeOf<Tree>];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    act(node);
    if (!('children' in node)) continue;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      waiting.push(node.children[index] as NodeOf<Tree>);
    }
  }
}

type NodeOf<Tree> = Tree extends HtmlNodes ? HtmlNodes : Nodes;
