import { AppError } from '../../contract/errors.ts';

/** Deeper than any input of ours, and far from where a recursion would end the stack. */
const maxDepth = 100;

const longTypes = new Set([
  'type.googleapis.com/google.protobuf.Int64Value',
  'type.googleapis.com/google.protobuf.UInt64Value',
]);

/**
 * A value of the callable protocol as it is meant: long numbers come as `{"@type", "value"}`. Throws invalid-argument for
 * any other type, and for what is nested too deeply.
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
