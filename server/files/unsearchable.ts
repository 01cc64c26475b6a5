import { AppError } from '../../contract/errors.ts';

/** The error for a film or recording of which only a part could be searched for what its camera wrote into it. */
export function unsearchable(): AppError {
  return new AppError(
    'permission-denied',
    'This film or recording has too many parts to remove hidden data such as its location. Please export it again with another program.',
  );
}
