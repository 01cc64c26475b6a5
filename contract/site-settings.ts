import { z } from 'zod';
import { isLanguage, isTimeZone } from './date.ts';

/** Where a setting stands on the page of the settings. */
export const settingGroups = {
  site: 'The site',
  reading: 'Reading',
  backups: 'Backups',
} as const;

type Setting = {
  label: string;
  hint?: string;
  group: keyof typeof settingGroups;
  /** The field that it is changed with; `choice` has the values and words of `choices`. */
  field: 'text' | 'choice' | 'time-zone' | 'language' | 'time' | 'number';
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
const setting = <Schema extends z.ZodType, const Rest extends Omit<Setting, 'schema' | 'initial'>>(
  value: Rest & { schema: Schema; initial: z.output<Schema> },
) => value;

const line = (max: number) => z.string().trim().max(max, `It must have at most ${max} characters.`);

/** Every setting that admins change in the browser: a new one is an entry here. */
export const siteSettings = {
  title: setting({
    label: 'Name',
    group: 'site',
    field: 'text',
    schema: line(100).min(1, 'It must not be empty.'),
    initial: 'Coterie',
    environment: 'SITE_TITLE',
    shownTo: 'readers',
  }),
  tagline: setting({
    label: 'One line about it',
    hint: 'Stands below the name on the first page, and in link previews.',
    group: 'site',
    field: 'text',
    schema: line(150),
    initial: '',
    shownTo: 'readers',
  }),
  timeZone: setting({
    label: 'Time zone',
    hint: 'Dates are written in it, for every reader.',
    group: 'reading',
    field: 'time-zone',
    schema: z.string().refine(isTimeZone, 'It must be a time zone name such as Europe/Vienna.'),
    initial: 'UTC',
    environment: 'SITE_TIMEZONE',
    shownTo: 'readers',
  }),
  dateLanguage: setting({
    label: 'Language of dates',
    group: 'reading',
    field: 'language',
    schema: z.string().refine(isLanguage, 'It must be a language such as en-US or de.'),
    initial: 'en-US',
    shownTo: 'readers',
  }),
  backupAt: setting({
    label: 'Time of the daily backup',
    hint: 'In the site’s time zone. Empty for no automatic backups.',
    group: 'backups',
    field: 'time',
    schema: z.string().regex(/^(?:([01]\d|2[0-3]):[0-5]\d)?$/, 'It must be a time such as 03:30.'),
    initial: '',
    environment: 'BACKUP_AT',
    shownTo: 'admins',
  }),
  backupKeep: setting({
    label: 'Backups to keep',
    group: 'backups',
    field: 'number',
    schema: z.coerce
      .number('It must be a whole number from 1 up.')
      .int('It must be a whole number from 1 up.')
      .min(1, 'It must be a whole number from 1 up.'),
    initial: 7,
    environment: 'BACKUP_KEEP',
    shownTo: 'admins',
  }),
};

type Settings = typeof siteSettings;
export type SettingName = keyof Settings;
type Shape = { [Name in SettingName]: Settings[Name]['schema'] };
type ShapeForReaders = {
  [Name in SettingName as Settings[Name]['shownTo'] extends 'readers' ? Name : never]: Shape[Name];
};

export const settingNames = Object.keys(siteSettings) as SettingName[];
const shapeOf = (names: readonly SettingName[]) =>
  Object.fromEntries(names.map(name => [name, siteSettings[name].schema]));

export const SiteSettings = z.strictObject(shapeOf(settingNames) as Shape);
/** The values of all settings, as they hold. */
export type SiteSettings = z.output<typeof SiteSettings>;

/** Some of the settings, as a change or the environment gives them. */
export const SomeSettings = SiteSettings.partial();
export type SomeSettings = z.output<typeof SomeSettings>;

/** Those that each page may use. */
export const settingsForReaders = shapeOf(
  settingNames.filter(name => siteSettings[name].shownTo === 'readers'),
) as ShapeForReaders;

/** The values before anybody has changed them. */
export const initialSettings: SiteSettings = SiteSettings.parse(
  Object.fromEntries(settingNames.map(name => [name, siteSettings[name].initial])),
);
