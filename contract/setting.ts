import type { z } from 'zod';

/** The parts of the page Settings. */
export const settingGroups = {
  site: 'The site',
  look: 'Look',
  reading: 'Dates',
  people: 'People',
  files: 'Files',
  backups: 'Backups',
} as const;

/** The inputs that change settings; `choice` offers the values and words of `choices`. */
export const settingFields = [
  'text',
  'choice',
  'icon',
  'cover',
  'accent',
  'typeface',
  'links',
  'time-zone',
  'language',
  'time',
  'number',
] as const;

/** The name of a setting, its values, and who decides it and sees it. */
export type Setting = {
  label: string;
  hint?: string;
  group: keyof typeof settingGroups;
  field: (typeof settingFields)[number];
  choices?: Readonly<Record<string, string>>;
  /** Its sentences begin with "It must"; the environment puts the name of the variable in place of "It". */
  schema: z.ZodType;
  initial: unknown;
  /** The environment variable that overrides it (decision 47). */
  environment?: string;
  /** Who gets its value with each page. */
  shownTo: 'readers' | 'admins';
};

/** Keeps the types of one setting, and checks that its first value is valid. */
export const setting = <Schema extends z.ZodType, const Rest extends Omit<Setting, 'schema' | 'initial'>>(
  value: Rest & { schema: Schema; initial: z.output<Schema> },
) => value;
