import type { z } from 'zod';

/** Where a setting stands on the page of the settings. */
export const settingGroups = {
  site: 'The site',
  look: 'Look',
  reading: 'Dates',
  people: 'People',
  files: 'Files',
  backups: 'Backups',
} as const;

/** The fields that settings are changed with; `choice` has the values and words of `choices`. */
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

/** What one setting is called, which values it has, and who decides it and is told. */
export type Setting = {
  label: string;
  hint?: string;
  group: keyof typeof settingGroups;
  field: (typeof settingFields)[number];
  choices?: Readonly<Record<string, string>>;
  /** Its sentences begin with "It must", where the environment puts the name of the variable. */
  schema: z.ZodType;
  initial: unknown;
  /** The variable of the environment that decides it where it is set (decisions.md 47). */
  environment?: string;
  /** Who is told its value with each page. */
  shownTo: 'readers' | 'admins';
};

/** Keeps the types of one setting, and holds that its first value is a valid one. */
export const setting = <Schema extends z.ZodType, const Rest extends Omit<Setting, 'schema' | 'initial'>>(
  value: Rest & { schema: Schema; initial: z.output<Schema> },
) => value;
