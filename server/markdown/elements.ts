import type { Element, ElementContent } from 'hast';

export const h = (
  tagName: string,
  properties: Element['properties'] = {},
  ...children: ElementContent[]
): Element => ({ type: 'element', tagName, properties, children });

export const text = (value: string): ElementContent => ({ type: 'text', value });

export const classesOf = ({ properties: { className } }: Element): string[] =>
  Array.isArray(className) ? className.map(String) : [];
