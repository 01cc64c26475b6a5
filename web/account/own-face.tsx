import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Output } from '../../contract/operations.ts';
import { facePicture } from '../../contract/site-pictures.ts';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { Face } from '../ui/face.tsx';
import { FileChooser } from '../ui/file-chooser.tsx';
import { smallerPicture } from '../ui/smaller-picture.ts';

/** The reader's own picture: others see it as soon as it is chosen. */
export function OwnFace({ name, face }: Pick<Output<'getAccount'>, 'name' | 'face'>) {
  const { call, client } = useOperations();
  const chooser = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const change = useMutation({
    mutationFn: async (file: File | null) =>
      call('setFace', { picture: file && (await smallerPicture(file, facePicture)) }),
    onSuccess: answer => {
      client.setQueryData(
        operationQuery(call, 'getAccount', {}).queryKey,
        account => account && { ...account, ...answer },
      );
    },
  });
  return (
    <div className="own-face">
      <Face name={name} face={face} />
      <div>
        <div className="acts">
          <BusyButton ref={button} isBusy={change.isPending} onClick={() => chooser.current?.click()}>
            {change.isPending ? 'Saving...' : face === null ? 'Choose a picture' : 'Choose another'}
          </BusyButton>
          <FileChooser
            ref={chooser}
            label="Your picture"
            accept="image/*"
            onFiles={([file]) => file !== undefined && change.mutate(file)}
          />
          {face !== null && (
            <button
              type="button"
              className="quiet danger"
              onClick={() => {
                if (change.isPending) return;
                change.mutate(null);
                // This button disappears with the picture.
                button.current?.focus();
              }}
            >
              Remove the picture
            </button>
          )}
        </div>
        <p className="hint">Shown beside your name, to everybody who reads your name here.</p>
        {change.isError && (
          <p className="error" role="alert">
            {change.error.message}
          </p>
        )}
      </div>
    </div>
  );
}
