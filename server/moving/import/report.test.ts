import { expect, it } from 'vitest';
import { ImportReport } from '../../../contract/transfers.ts';
import { addToReport, emptyReport } from './report.ts';

it('a tag may be called as what every object has, and no line is as long as a text', () => {
  const report = emptyReport(true, ['x'.repeat(10_000)]);
  const tags = ['constructor', '__proto__', 'walks'];
  for (const source of ['a.md', 'b.md'])
    addToReport(report, { kind: 'post', source, outcome: 'created', notes: ['x'.repeat(10_000)], tags });
  const told = ImportReport.parse(JSON.parse(JSON.stringify(report)));
  expect(told.postsByTag).toMatchObject({ constructor: 2, walks: 2 });
  expect(
    Math.max(...[...told.notes.map(line => line.text), ...told.leftBehind].map(text => text.length)),
  ).toBe(500);
});
