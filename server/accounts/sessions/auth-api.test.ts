import { APIError } from 'better-auth/api';
import { expect, it } from 'vitest';
import { mapAuthError } from './auth-api.ts';

it('a session that has ended meanwhile is asked to log in', async () => {
  const refused = Promise.reject(new APIError('UNAUTHORIZED', { message: 'Unauthorized' }));
  await expect(mapAuthError(refused)).rejects.toMatchObject({
    code: 'unauthenticated',
    message: 'Please log in first.',
  });
});
