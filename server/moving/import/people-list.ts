import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { z } from 'zod';
import { AppError } from '../../../contract/errors.ts';
import { requireFile } from './require-file.ts';

/** The most characters of a line; a hash takes a hundred. */
const maxLine = 100_000;

/** The name of a list of people, and what is missing in a line that `line` rejects. */
type PeopleList<Line extends z.ZodType> = { line: Line; name: string; missing: string };

/**
 * The lines of a list of people that another program wrote as CSV. Throws not-found, and invalid-argument for
 * any other file.
 */
export async function* readPeopleList<Line extends z.ZodType>(
  file: string,
  { line, name, missing }: PeopleList<Line>,
): AsyncGenerator<z.output<Line>> {
  await requireFile(file);
  const lines = pipeline(
    createReadStream(file),
    parse({ columns: true, bom: true, trim: true, relax_column_count: true, max_record_size: maxLine }),
    // The error is thrown where the lines are read.
    () => {},
  );
  try {
    for await (const read of lines) {
      const known = line.safeParse(read);
      if (!known.success) throw new AppError('invalid-argument', missing);
      yield known.data;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('invalid-argument', `${file} is no list of ${name}. ${reason}`);
  }
}
