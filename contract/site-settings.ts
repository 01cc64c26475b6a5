import { z } from 'zod';
import { isLanguage, isTimeZone } from './date.ts';
import { type AccentName, accents, type Typeface, typefaces } from './look.ts';
import { setting } from './setting.ts';

const accentNames = Object.keys(accents) as [AccentName, ...AccentName[]];

/** The name of a stored picture; empty for none. */
const picture = z.string().regex(/^(?:[\w-]{22})?$/, 'It must be a picture that was uploaded.');

/** An address on this site or elsewhere, without schemes that a browser would run. */
const FooterLink = z.strictObject({
  label: z.string().trim().min(1, 'Please enter the words of the link.').max(40),
  address: z
    .string()
    .trim()
    .max(500)
    .regex(/^(?:\/(?!\/)|https?:\/\/|mailto:)/, 'An address begins with / or https:// or mailto:.'),
});

const line = (max: number) => z.string().trim().max(max, `It must have at most ${max} characters.`);

/**
 * The settings that the page Settings saves together, with a history and undo. A new setting is an entry
 * here. The second factor of admins has rules of its own and is not here.
 */
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
  footer: setting({
    label: 'Links in the footer',
    group: 'site',
    field: 'links',
    schema: z.array(FooterLink).max(8, 'It must have at most 8 links.'),
    initial: [],
    shownTo: 'readers',
  }),
  noindex: setting({
    label: 'Search engines',
    group: 'site',
    field: 'choice',
    choices: { false: 'May list what is open to all', true: 'Are asked not to list this site' },
    schema: z.enum(['false', 'true'], 'It must be true or false.'),
    initial: 'false',
    environment: 'NOINDEX',
    shownTo: 'admins',
  }),
  securityContact: setting({
    label: 'Contact for security reports',
    hint: 'An address with mailto: or https:// that /.well-known/security.txt names. Empty for none.',
    group: 'site',
    field: 'text',
    schema: line(500).refine(
      text => text === '' || (/^(?:mailto:|https:)\S+$/.test(text) && URL.canParse(text)),
      'It must be an address such as mailto:security@blog.example.',
    ),
    initial: '',
    environment: 'SECURITY_CONTACT',
    shownTo: 'admins',
  }),
  icon: setting({
    label: 'Icon',
    hint: 'Beside the name, in tabs, on home screens and in mails.',
    group: 'look',
    field: 'icon',
    schema: picture,
    initial: '',
    shownTo: 'readers',
  }),
  cover: setting({
    label: 'Cover picture',
    hint: 'Over the whole width above the timeline.',
    group: 'look',
    field: 'cover',
    schema: picture,
    initial: '',
    shownTo: 'readers',
  }),
  accent: setting({
    label: 'Colour',
    hint: 'Of links, buttons and the paper. A colour of your own is made readable in both themes.',
    group: 'look',
    field: 'accent',
    schema: z.union([z.enum(accentNames), z.string().regex(/^#[\da-f]{6}$/i)], {
      error: 'It must be one of the colours, or look like #1c5741.',
    }),
    initial: 'green',
    shownTo: 'readers',
  }),
  typeface: setting({
    label: 'Typeface for reading',
    group: 'look',
    field: 'typeface',
    schema: z.enum(Object.keys(typefaces) as [Typeface, ...Typeface[]], 'It must be one of the typefaces.'),
    initial: 'literata',
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
  signUp: setting({
    label: 'Who may sign up',
    group: 'people',
    field: 'choice',
    choices: {
      everybody: 'Everybody, and then waits for approval',
      invited: 'Only who is invited',
      nobody: 'Nobody',
    },
    schema: z.enum(['everybody', 'invited', 'nobody'], 'It must be everybody, invited or nobody.'),
    initial: 'everybody',
    shownTo: 'readers',
  }),
  newPostTags: setting({
    label: 'Tags of a new post',
    hint: 'A new post begins with these, also one by mail, so that nobody opens one to all by mistake. Separate them by commas. Authors get those that they may read.',
    group: 'people',
    field: 'text',
    schema: line(500),
    initial: '',
    shownTo: 'admins',
  }),
  comments: setting({
    label: 'Comments on new posts',
    group: 'people',
    field: 'choice',
    choices: { on: 'On', off: 'Off, until their author opens them' },
    schema: z.enum(['on', 'off'], 'It must be on or off.'),
    initial: 'on',
    shownTo: 'admins',
  }),
  commentsCloseAfter: setting({
    label: 'Close the comments of a post',
    hint: 'Comments that are there stay. The author of a post can also close its comments on the post itself.',
    group: 'people',
    field: 'choice',
    choices: {
      14: 'After two weeks',
      30: 'After 30 days',
      90: 'After 90 days',
      365: 'After a year',
      never: 'Never',
    },
    schema: z
      .string()
      .regex(/^(?:never|[1-9]\d{0,4})$/, 'It must be a number of days up to 99999, or never.'),
    initial: 'never',
    shownTo: 'admins',
  }),
  namesAuthors: setting({
    label: 'Names of authors',
    hint: 'The same for every reader. They are shown from the first post that somebody besides the first admin publishes, unless it was chosen before.',
    group: 'people',
    field: 'choice',
    choices: { false: 'Posts name no authors', true: 'Each post names who wrote it' },
    schema: z.enum(['false', 'true'], 'It must be true or false.'),
    initial: 'false',
    shownTo: 'admins',
  }),
  keepsOpened: setting({
    label: 'What is new since a member was here',
    hint: 'For this it is kept when each member last opened a post, which nobody else is shown.',
    group: 'people',
    field: 'choice',
    choices: { true: 'Shown to members who want it', false: 'Not shown; nothing is kept' },
    schema: z.enum(['true', 'false'], 'It must be true or false.'),
    initial: 'true',
    environment: 'KEEP_OPENED_POSTS',
    shownTo: 'admins',
  }),
  countsOpenings: setting({
    label: 'How often a post is opened',
    hint: 'Its author and the admins see about how often, in steps (10+, 20+, 50+, 100+), for posts that everybody or more than ten members can read. Nothing is kept about who it was.',
    group: 'people',
    field: 'choice',
    choices: { false: 'Not counted', true: 'Counted' },
    schema: z.enum(['false', 'true'], 'It must be true or false.'),
    initial: 'false',
    shownTo: 'readers',
  }),
  fileMaxMib: setting({
    label: 'Largest file, in MB',
    hint: 'Of what authors upload and imports bring. Files that are there stay. A proxy before the site may have a limit of its own.',
    group: 'files',
    field: 'number',
    schema: z.coerce
      .number('It must be a whole number of MB from 1 up.')
      .int('It must be a whole number of MB from 1 up.')
      .min(1, 'It must be a whole number of MB from 1 up.')
      // In bytes, this is still an exact number.
      .max(2 ** 33 - 1, 'It must be at most 8589934591 MB.'),
    initial: 256,
    environment: 'FILE_MAX_MIB',
    shownTo: 'readers',
  }),
  originals: setting({
    label: 'Videos and sounds as they were uploaded',
    hint: 'Readers get what is prepared of them. What is dropped cannot be brought back.',
    group: 'files',
    field: 'choice',
    choices: { kept: 'Are kept', dropped: 'Are dropped once they are prepared' },
    schema: z.enum(['kept', 'dropped'], 'It must be kept or dropped.'),
    initial: 'kept',
    shownTo: 'admins',
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
/** The current values of all settings. */
export type SiteSettings = z.output<typeof SiteSettings>;

/** Some of the settings, as a change or the environment gives them. */
export const SomeSettings = SiteSettings.partial();
export type SomeSettings = z.output<typeof SomeSettings>;

/** The settings that every page gets. */
export const settingsForReaders = shapeOf(
  settingNames.filter(name => siteSettings[name].shownTo === 'readers'),
) as ShapeForReaders;

/** The values until somebody changes them. */
export const initialSettings: SiteSettings = SiteSettings.parse(
  Object.fromEntries(settingNames.map(name => [name, siteSettings[name].initial])),
);

/** The environment variable that overrides a setting. */
export function variableOf(name: SettingName): string | undefined {
  const setting = siteSettings[name];
  return 'environment' in setting ? setting.environment : undefined;
}
