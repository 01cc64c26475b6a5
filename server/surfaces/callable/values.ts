import { AppError } from '../../../contract/errors.ts';

/** Deeper than any valid input, and far below the depth at which recursion would overflow the stack. */
const maxDepth = 100;

const longTypes = new Set([
  'type.googleapis.com/google.protobuf.Int64Value',
  'type.googleapis.com/google.protobuf.UInt64Value',
]);

/** More than any valid input has, each with a comma behind it. */
const mostValues = 50_000;

/**
 * Throws invalid-argument for JSON that is nested too deeply, which takes V8 ten times as long as anything
 * else, or has too many values, before it is parsed.
 */
export function refuseCostly(json: string): void {
  if (json.length <= maxDepth) return;
  let depth = 0;
  let values = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') isText = !isText;
    else if (isText) index += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') values += 1;
    // Two more levels for the body and its `data`.
    if (depth > maxDepth + 2 || values > mostValues) throw new AppError('invalid-argument', 'Bad Request');
  }
}

/**
 * Decodes a value of the callable protocol, in which 64-bit integers are `{"@type", "value"}`. Throws
 * invalid-argument for any other `@type` and for values that are nested too deeply.
 */
export function decodeValue(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) throw new AppError('invalid-argument', 'Bad Request');
  if (Array.isArray(value)) return value.map(item => decodeValue(item, depth + 1));
  if (Object.hasOwn(value, '@type')) {
    const { '@type': type, value: number } = value as { '@type': unknown; value?: unknown };
    if (typeof type === 'string' && longTypes.has(type) && Number.isFinite(Number(number)))
      return Number(number);
    if (type) throw new AppError('invalid-argument', 'Bad Request');
  }
  // `fromEntries` makes a plain property even of `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decodeValue(item, depth + 1)]));
}
