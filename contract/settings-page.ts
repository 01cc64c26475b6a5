import { z } from 'zod';
import { type Setting, settingFields, settingGroups } from './setting.ts';
import { type SettingName, settingNames, siteSettings } from './site-settings.ts';

/** How the page Settings shows a setting: a browser gets this from the server, without the schemas. */
export const SettingDescription = z.object({
  name: z.enum(settingNames as [SettingName, ...SettingName[]]),
  label: z.string(),
  hint: z.string().nullable(),
  field: z.enum(settingFields),
  /** The values and their labels. */
  choices: z.record(z.string(), z.string()),
});

/** The parts of the page Settings, in order. */
export const settingsPage = Object.entries(settingGroups).map(([group, title]) => ({
  title,
  settings: settingNames
    .map((name): { name: SettingName; setting: Setting } => ({ name, setting: siteSettings[name] }))
    .filter(({ setting }) => setting.group === group)
    .map(({ name, setting: { label, hint = null, field, choices = {} } }) => ({
      name,
      label,
      hint,
      field,
      choices: { ...choices },
    })),
}));
