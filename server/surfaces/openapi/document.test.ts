import { expect, it } from 'vitest';
import { describedOperations, inputSchema } from './document.ts';

/** Every object schema within a JSON Schema, at any depth. */
function objectsIn(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inside = Object.values(schema).flatMap(objectsIn);
  return 'type' in schema && schema.type === 'object'
    ? [schema as Record<string, unknown>, ...inside]
    : inside;
}

it.each(describedOperations.filter(({ name }) => name !== 'getPosts'))(
  '$name accepts no unknown fields',
  operation => {
    const objects = objectsIn(inputSchema(operation));
    expect(objects.length).toBeGreaterThan(0);
    for (const schema of objects) expect(schema.additionalProperties).toBe(false);
  },
);
