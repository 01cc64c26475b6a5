import { useId } from 'react';
import type { Output } from '../../../contract/operations.ts';
import { Field, SelectField } from '../../ui/field.tsx';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';
import { languages } from './languages.ts';
import { LinksField } from './links-field.tsx';
import { AccentField, TypefaceField } from './look-fields.tsx';
import { PictureField } from './picture-field.tsx';

export type State = Output<'getSiteSettings'>;
export type Setting = State['parts'][number]['settings'][number];

/** A setting with the input for its type. Settings of the environment are read-only. */
export function SettingField({ setting, state }: { setting: Setting; state: State }) {
  const list = useId();
  const { name, label, field, choices } = setting;
  const value = textOf(state.values[name]);
  const lockedBy = state.lockedBy[name];
  const hint =
    lockedBy === undefined
      ? (setting.hint ?? undefined)
      : `${lockedBy} in the environment of the server decides this.`;
  const common = {
    name,
    label,
    ...(hint !== undefined && { hint }),
    defaultValue: value,
    disabled: lockedBy !== undefined,
  };
  switch (field) {
    case 'icon':
    case 'cover':
      return <PictureField name={field} label={label} hint={hint} value={value} />;
    case 'accent':
      return <AccentField label={label} hint={hint} value={value} />;
    case 'typeface':
      return <TypefaceField label={label} hint={hint} value={value} />;
    case 'links':
      return <LinksField label={label} value={state.values.footer} />;
    case 'choice':
      return <SelectField {...common} options={withValue(Object.entries(choices), value)} />;
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

/** A value in the form that its input sends. */
export const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A value set by a program may not be among the page's options. */
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
