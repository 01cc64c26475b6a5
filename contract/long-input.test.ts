import { expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from './operations.ts';

type JsonSchema = {
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  const?: unknown;
};

/** Values of this shape that take every choice there is, in which each string is `text`. */
function* valuesOf(schema: JsonSchema, text: string): Generator<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (schema.const !== undefined) yield schema.const;
  else if (choices !== undefined) for (const choice of choices) yield* valuesOf(choice, text);
  else if (schema.type === 'string') yield text;
  else if (schema.type === 'array' && schema.items) {
    for (const item of valuesOf(schema.items, text)) yield [item];
  } else if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => [name, [...valuesOf(field, text)]] as const,
    );
    const most = Math.max(0, ...fields.map(([, values]) => values.length));
    for (let choice = 0; choice < most; choice += 1)
      yield Object.fromEntries(fields.map(([name, values]) => [name, values[choice % values.length]]));
  }
}

const length = 1_000_000;

// A check whose time grows with the square of the text takes half an hour here, and the test never ends.
it.each([
  ['digits', `${'1'.repeat(length)}x`],
  ['blanks', `x${' '.repeat(length)}x`],
  ['dots', `a@${'.a'.repeat(length / 2)}@`],
  ['slashes', `https://${'/'.repeat(length)} `],
  ['line breaks', `x${'\r\n'.repeat(length / 2)}x`],
  ['combining marks', `a${'\u0301\u0316'.repeat(length / 2)}`],
  ['hyphens', `${'-'.repeat(length)}!`],
])('every operation reads a million %s in time linear in them', (_, text) => {
  for (const { input } of Object.values(operations)) {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    for (const value of valuesOf(schema, text)) expect(input.safeParse(value)).toHaveProperty('success');
  }
});
