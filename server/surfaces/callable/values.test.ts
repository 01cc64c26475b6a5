import { expect, it } from 'vitest';
import { decodeValue, refuseDeep } from './values.ts';

const nested = (levels: number, within: string) => `${'['.repeat(levels)}${within}${']'.repeat(levels)}`;

it('24. a value that is nested deeper than any valid input is refused, before and after parsing', () => {
  for (const json of [
    nested(100, '1'),
    JSON.stringify({ a: '['.repeat(10_000) }),
    `["\\"${'{'.repeat(500)}"]`,
  ]) {
    expect(() => refuseDeep(json)).not.toThrow();
    expect(decodeValue(JSON.parse(json))).toEqual(JSON.parse(json));
  }
  expect(() => refuseDeep(nested(103, '1'))).toThrow('Bad Request');
  expect(() => refuseDeep(nested(50, `"]]]]\\\\",${'{"a":'.repeat(60)}`))).toThrow('Bad Request');
  expect(() => decodeValue(JSON.parse(nested(102, '1')))).toThrow('Bad Request');
});
