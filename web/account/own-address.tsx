import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { BusyButton } from '../ui/busy-button.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { MadeSecret } from '../ui/made-secret.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';

type OwnAddressProps = {
  /** The operation that returns whether there is one. */
  query: 'getPersonalFeed' | 'getPostAddress';
  isMade: boolean;
  /** Resolves with the address. */
  make(): Promise<string>;
  end(): Promise<unknown>;
  texts: {
    label: string;
    /** The buttons. */
    make: string;
    replace: string;
    end: string;
    /** The question before it is replaced. */
    replaces: string;
    ends: string;
  };
  /** Between the new address and the buttons. */
  children?: ReactNode;
};

/** Makes, replaces and ends an address that contains a secret of its owner. */
export function OwnAddress({ query, isMade, make, end, texts, children }: OwnAddressProps) {
  const client = useQueryClient();
  const dialogs = useDialogs();
  const first = useRef<HTMLButtonElement>(null);
  const reload = () => client.invalidateQueries({ queryKey: [query] });
  const making = useMutation({
    mutationFn: make,
    onSuccess: () => {
      ending.reset();
      void reload();
    },
  });
  const ending = useMutation({
    mutationFn: end,
    onSuccess: () => {
      making.reset();
      // The reload removes the button that was pressed.
      first.current?.focus();
      return reload();
    },
  });
  const replace = async () => {
    if (!isMade || (await dialogs.confirm(texts.replaces, { action: texts.replace }))) making.mutate();
  };
  const stop = async () => {
    if (await dialogs.confirm(texts.ends, { action: texts.end, isDangerous: true })) ending.mutate();
  };
  const failure = making.error ?? ending.error;
  return (
    <>
      {failure !== null && <Notice text={failure.message} />}
      {making.data !== undefined && (
        <MadeSecret
          key={making.data}
          label={texts.label}
          value={making.data}
          byHand="Select the address and copy it."
        />
      )}
      {children}
      <div className="acts">
        <BusyButton ref={first} isBusy={making.isPending} onClick={replace}>
          {isMade ? texts.replace : texts.make}
        </BusyButton>
        {isMade && (
          <BusyButton className="quiet danger" isBusy={ending.isPending} onClick={stop}>
            {texts.end}
          </BusyButton>
        )}
      </div>
      <NeedsScripts />
    </>
  );
}
