import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type SitePicture, sitePictureAt, sitePictures } from '../../../contract/site-pictures.ts';
import { useCall } from '../../app/queries.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { smallerPicture } from '../../ui/smaller-picture.ts';

type PictureFieldProps = { name: SitePicture; label: string; hint: string | undefined; value: string };

/** A picture of the site: uploaded when it is chosen, and used once the form is saved. */
export function PictureField({ name, label, hint, value }: PictureFieldProps) {
  const call = useCall();
  const chooser = useRef<HTMLInputElement>(null);
  const [digest, setDigest] = useState(value);
  const upload = useMutation({
    mutationFn: async (file: File) =>
      call('uploadSitePicture', { kind: name, bytes: await smallerPicture(file, sitePictures[name]) }),
    onSuccess: answer => setDigest(answer.name),
  });
  const { sizes, ratio } = sitePictures[name];
  const width = sizes[1];
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      <input type="hidden" name={name} value={digest} />
      {digest !== '' && (
        <img
          className={name === 'icon' ? 'site-icon' : 'site-cover'}
          src={sitePictureAt(name, digest, width)}
          width={width}
          height={width / ratio}
          alt={`${label}, as it is chosen`}
        />
      )}
      <div className="acts">
        <BusyButton isBusy={upload.isPending} onClick={() => chooser.current?.click()}>
          {upload.isPending ? 'Uploading...' : digest === '' ? 'Choose a picture' : 'Choose another'}
        </BusyButton>
        <FileChooser
          ref={chooser}
          label={label}
          accept="image/*"
          onFiles={([file]) => file !== undefined && upload.mutate(file)}
        />
        {digest !== '' && (
          <button type="button" className="quiet danger" onClick={() => setDigest('')}>
            Remove
          </button>
        )}
      </div>
      {hint !== undefined && <p className="hint">{hint}</p>}
      {upload.isError && (
        <p className="error" role="alert">
          {upload.error.message}
        </p>
      )}
    </fieldset>
  );
}
