import { useId } from 'react';
import { type SettingName, siteSettings } from '../../../contract/site-settings.ts';
import { Field, SelectField } from '../../ui/field.tsx';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';
import { languages } from './languages.ts';

export type SettingProps = {
  name: SettingName;
  value: string;
  /** The variable of the environment that decides it. */
  lockedBy: string | undefined;
};

/** A setting as its table says that it is changed. What the environment decides can only be read. */
export function SettingField({ name, value, lockedBy }: SettingProps) {
  const list = useId();
  const setting: { label: string; hint?: string; field: string; choices?: Readonly<Record<string, string>> } =
    siteSettings[name];
  const { label, field, choices = {} } = setting;
  const hint =
    lockedBy === undefined ? setting.hint : `${lockedBy} in the environment of the server decides this.`;
  const common = { name, label, ...(hint !== undefined && { hint }), defaultValue: value, disabled: lockedBy !== undefined };
  switch (field) {
    case 'choice':
      return <SelectField {...common} options={Object.entries(choices)} />;
    case 'language':
      return <SelectField {...common} options={withValue(languages, value)} />;
    case 'time':
      return <Field {...common} type="time" />;
    case 'number':
      return <Field {...common} type="number" min={1} inputMode="numeric" />;
    case 'time-zone':
      return (
        <>
          <Field {...common} list={list} autoComplete="off" />
          <TimeZones id={list} />
        </>
      );
    default:
      return <Field {...common} autoComplete="off" dir="auto" />;
  }
}

/** A value that programs have set may be none of those that the page offers. */
function withValue(options: readonly (readonly [string, string])[], value: string) {
  return options.some(([offered]) => offered === value) ? options : [[value, value] as const, ...options];
}

/** The time zones that this browser knows; the server may know others. */
function TimeZones({ id }: { id: string }) {
  const isInBrowser = useIsInBrowser();
  return (
    <datalist id={id}>
      {isInBrowser && Intl.supportedValuesOf('timeZone').map(zone => <option key={zone} value={zone} />)}
    </datalist>
  );
}
