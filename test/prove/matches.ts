import type { Expectation } from './model/act.ts';
import { AnyOrder } from './model/lists.ts';
import type { Refused } from './wire.ts';

/**
 * Where an answer differs from the expected one, as a sentence; undefined if it does not. An object may hold
 * more than expected, a list may not; a value that is expected as undefined is not compared; a function as
 * expectation decides itself.
 */
export function difference(expected: unknown, actual: unknown, at = 'it'): string | undefined {
  if (expected === undefined) return undefined;
  if (typeof expected === 'function') return expected(actual) ? undefined : `${at} is ${show(actual)}`;
  if (expected instanceof AnyOrder) return differenceOfSets(expected.items, actual, at);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return `${at} is ${show(actual)}, not ${show(expected)}`;
    }
    return first(expected.map((item, index) => difference(item, actual[index], `${at}[${index}]`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null)
      return `${at} is ${show(actual)}, not ${show(expected)}`;
    const parts = actual as Record<string, unknown>;
    return first(
      Object.entries(expected).map(([name, part]) => difference(part, parts[name], `${at}.${name}`)),
    );
  }
  return Object.is(expected, actual) ? undefined : `${at} is ${show(actual)}, not ${show(expected)}`;
}

function differenceOfSets(expected: readonly unknown[], actual: unknown, at: string): string | undefined {
  if (!Array.isArray(actual) || actual.length !== expected.length) {
    return `${at} is ${show(actual)}, not ${show(expected)} in any order`;
  }
  const left = [...actual];
  for (const item of expected) {
    const found = left.findIndex(candidate => difference(item, candidate) === undefined);
    if (found < 0) return `${at} is ${show(actual)}, without ${show(item)}`;
    left.splice(found, 1);
  }
  return undefined;
}

/** Where the outcome of a request differs from what the model says. */
export function differenceOfOutcome(
  expected: Expectation,
  actual: Refused | { result: unknown },
): string | undefined {
  if ('refusal' in expected) {
    if ('result' in actual) return `it was done and not refused with ${expected.refusal}`;
    return actual.refusal === expected.refusal
      ? undefined
      : `it was refused with ${said(actual)}, not with ${expected.refusal}`;
  }
  if ('refusal' in actual) return `it was refused with ${said(actual)}`;
  return difference(expected.result, actual.result);
}

const said = ({ refusal, message }: Refused) => (message ? `${refusal} (${message})` : refusal);

const first = (all: (string | undefined)[]) => all.find(one => one !== undefined);

function show(value: unknown): string {
  const text = value instanceof AnyOrder ? JSON.stringify(value.items) : (JSON.stringify(value) ?? 'nothing');
  return text.length > 400 ? `${text.slice(0, 400)}...` : text;
}
