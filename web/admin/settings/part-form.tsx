import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { Form, fieldText } from '../../app/form.tsx';
import { operationQuery, useOperations } from '../../app/queries.tsx';
import { type Setting, SettingField, type State, textOf } from './setting-field.tsx';
import { useTakeState } from './take-state.ts';

type PartFormProps = {
  settings: readonly Setting[];
  state: State;
  /** The version after an undo; it replaces what is typed. */
  undoneTo: number | null;
  /** Gets a function that tells whether something typed is not saved. Returns how to forget it. */
  onShown(isTyped: () => boolean): () => void;
};

/**
 * The form of a part of the settings. It follows the server, except while something is typed in it: that is
 * kept, and saved with the version that it is based on.
 */
export function PartForm({ settings, state, undoneTo, onShown }: PartFormProps) {
  const { call, client } = useOperations();
  const take = useTakeState();
  const form = useRef<HTMLFormElement>(null);
  // `round`: a key that mounts the fields again with the values.
  const [begun, setBegun] = useState({ state, version: state.version, round: 0 });
  const hasChanged = settings.some(
    ({ name }) => textOf(begun.state.values[name]) !== textOf(state.values[name]),
  );

  const follow = useEffectEvent((now: State) => {
    if (form.current === null || now.version <= begun.version) return;
    const fields = new FormData(form.current);
    const isTyped = changed(fields, settings, begun.state).length > 0;
    const isShown = changed(fields, settings, now).length === 0;
    if (isTyped && !isShown && !(hasChanged && now.version === undoneTo)) return;
    setBegun({ state: now, version: now.version, round: begun.round + (isShown ? 0 : 1) });
  });
  useEffect(() => follow(state), [state]);
  const isTyped = useEffectEvent(
    () => form.current !== null && changed(new FormData(form.current), settings, begun.state).length > 0,
  );
  useEffect(() => onShown(() => isTyped()), [onShown]);

  const sending = useMutation({
    mutationFn: (fields: FormData) =>
      call('saveSiteSettings', {
        values: valuesOf(fields, changed(fields, settings, begun.state)),
        // Changes of other parts do not affect this one.
        version: hasChanged ? begun.version : state.version,
      }),
    onSuccess: (saved, fields) => {
      const isShown = changed(fields, settings, saved).length === 0;
      setBegun({ state: saved, version: saved.version, round: begun.round + (isShown ? 0 : 1) });
      return take(saved);
    },
    onError: async error => {
      if (!(error instanceof AppError) || error.code !== 'aborted') return;
      const query = operationQuery(call, 'getSiteSettings', {});
      const now = await client.fetchQuery({ ...query, staleTime: 0 }).catch(() => undefined);
      // The next save overwrites them deliberately; only typed values are sent.
      if (now !== undefined) setBegun(before => ({ ...before, version: now.version }));
    },
  });
  const isLate = sending.error instanceof AppError && sending.error.code === 'aborted';
  return (
    <Form
      ref={form}
      key={begun.round}
      sending={sending}
      submit="Save"
      submitting="Saving..."
      done="Saved."
      {...(isLate && { failure: `${sending.error?.message} What you typed is kept: save again to use it.` })}
    >
      {settings.map(setting => (
        <SettingField key={setting.name} setting={setting} state={begun.state} />
      ))}
    </Form>
  );
}

/** The settings whose fields have other values, without those that cannot be changed. */
function changed(fields: FormData, settings: readonly Setting[], { values }: State): readonly Setting[] {
  return settings.filter(({ name }) => fields.has(name) && fieldText(fields, name) !== textOf(values[name]));
}

function valuesOf(fields: FormData, settings: readonly Setting[]) {
  return Object.fromEntries(
    settings.map(({ name, field }) => {
      const text = fieldText(fields, name);
      return [name, field === 'links' ? JSON.parse(text) : text];
    }),
  );
}
