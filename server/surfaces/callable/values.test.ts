import { expect, it } from 'vitest';
import { decodeValue, refuseCostly } from './values.ts';

const nested = (levels: number, within: string) => `${'['.repeat(levels)}${within}${']'.repeat(levels)}`;

it('24. a value that is nested deeper or has more parts than any valid input is refused', () => {
  for (const json of [
    nested(100, '1'),
    JSON.stringify({ a: '['.repeat(10_000) }),
    `["\\"${'{'.repeat(500)}"]`,
  ]) {
    expect(() => refuseCostly(json)).not.toThrow();
    expect(decodeValue(JSON.parse(json))).toEqual(JSON.parse(json));
  }
  const values = (count: number) => JSON.stringify({ data: Array.from({ length: count }, () => ',') });
  expect(() => refuseCostly(values(50_000))).not.toThrow();
  expect(() => refuseCostly(values(50_002))).toThrow('Bad Request');
  expect(() => refuseCostly(nested(103, '1'))).toThrow('Bad Request');
  expect(() => refuseCostly(nested(50, `"]]]]\\\\",${'{"a":'.repeat(60)}`))).toThrow('Bad Request');
  expect(() => decodeValue(JSON.parse(nested(102, '1')))).toThrow('Bad Request');
});
