import { AppError } from '../../../contract/errors.ts';

/** The error for a picture that no browser shows and that cannot be read here. */
export function unshowable(): AppError {
  return new AppError(
    'permission-denied',
    'Browsers cannot show this kind of picture. Please save it as JPEG.',
  );
}

/** The error for a picture in a format whose hidden data cannot be removed here. */
export function uncleanablePicture(): AppError {
  return new AppError(
    'permission-denied',
    'Hidden data such as the location cannot be removed from this kind of picture. Please save it as JPEG or PNG.',
  );
}

export function tooManyParts(): AppError {
  return new AppError(
    'permission-denied',
    'This video or recording has too many parts to remove hidden data such as its location. Please export it again with another program.',
  );
}

/**
 * The error for a video or recording in which hidden data cannot be told apart from what plays
 * (decision 43).
 */
export function uncleanable(): AppError {
  return new AppError(
    'permission-denied',
    'Hidden data such as the location cannot be removed from this kind of video or recording. Please save it as MP4 (H.264 and AAC) with another program.',
  );
}

/** The error for a video or recording without an index of its pictures and sounds. */
export function incomplete(): AppError {
  return new AppError(
    'permission-denied',
    'This video or recording is incomplete or damaged. Please upload it again, or export it again with another program.',
  );
}
