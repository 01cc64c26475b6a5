import { useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { useCall } from '../app/operations.tsx';
import type { ScreenModule } from '../app/routes.ts';
import { brokenLink, LinkForm } from './link-form.tsx';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Confirm your address' });

/** Where the link of the confirmation mail leads. A program that only looks at it confirms nothing. */
export default function ConfirmPage() {
  const call = useCall();
  const client = useQueryClient();
  const token = useSearchParams()[0].get('token');
  return (
    <LinkForm
      title="Confirm your address"
      refusal={token === null ? brokenLink : undefined}
      intro="This makes the address that you opened the mail with the one of your account."
      submit={['Confirm', 'Confirming...']}
      send={async () => {
        await call('confirmEmail', { token: token ?? '' });
        await client.invalidateQueries({ queryKey: ['getViewer'] });
      }}
      done={{ text: 'Your address is confirmed.', to: '/', link: 'Go to the timeline' }}
    />
  );
}
