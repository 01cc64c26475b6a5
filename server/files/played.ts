import { type SqlBool, sql } from 'kysely';

/** Whether a row of `files` is a video or a sound. */
export const isPlayed = sql<SqlBool>`(files.type like 'video/%' or files.type like 'audio/%')`;
