import { useEffect, useState } from 'react';
import { accents, type Typeface, typefaces } from '../../../contract/look.ts';
import { loadTypefaces, previewAccent, previewTypeface, swatchOf } from './look-preview.ts';

type LookFieldProps = { label: string; hint: string | undefined; value: string };

/** The six accents, and a colour of the admin's own. The page shows the choice at once. */
export function AccentField({ label, hint, value }: LookFieldProps) {
  const [chosen, setChosen] = useState(value);
  const isOwn = !Object.hasOwn(accents, chosen);
  const choose = (accent: string) => {
    setChosen(accent);
    previewAccent(accent);
  };
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      <input type="hidden" name="accent" value={chosen} />
      <div className="swatches">
        {Object.entries(accents).map(([accent, { name }]) => (
          <label key={accent} className="choice">
            <input
              type="radio"
              name="accent-choice"
              checked={chosen === accent}
              onChange={() => choose(accent)}
            />
            <Swatch colour={swatchOf(accent)} />
            {name}
          </label>
        ))}
        <label className="choice">
          <input
            type="radio"
            name="accent-choice"
            checked={isOwn}
            onChange={() => choose(swatchOf(chosen))}
          />
          Your own
          <input
            type="color"
            aria-label="Your own colour"
            value={isOwn ? chosen : swatchOf(chosen)}
            onChange={event => choose(event.target.value)}
          />
        </label>
      </div>
      {hint !== undefined && <p className="hint">{hint}</p>}
    </fieldset>
  );
}

/** Drawn as a picture: the content policy forbids inline styles. */
function Swatch({ colour }: { colour: string }) {
  return (
    <svg className="swatch" viewBox="0 0 2 2" aria-hidden="true">
      <circle cx="1" cy="1" r="1" fill={colour} />
    </svg>
  );
}

/** The four typefaces, each with a sample of it. */
export function TypefaceField({ label, hint, value }: LookFieldProps) {
  const [chosen, setChosen] = useState(value);
  useEffect(loadTypefaces, []);
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      <div className="typefaces">
        {(Object.keys(typefaces) as Typeface[]).map(typeface => (
          <label key={typeface} className="choice" data-typeface={typeface}>
            <input
              type="radio"
              name="typeface"
              value={typeface}
              checked={chosen === typeface}
              onChange={() => {
                setChosen(typeface);
                previewTypeface(typeface);
              }}
            />
            <span>
              <span className="sample">{typefaces[typeface].name}</span>
              <span className="sub">{typefaces[typeface].words}</span>
            </span>
          </label>
        ))}
      </div>
      {hint !== undefined && <p className="hint">{hint}</p>}
    </fieldset>
  );
}
