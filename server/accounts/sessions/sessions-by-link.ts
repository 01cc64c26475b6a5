import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import type { BetterAuthPlugin } from 'better-auth/types';
import { z } from 'zod';

/**
 * Lets better-auth begin a session for an account whose owner has shown who they are without a password. Its
 * own plugin for links keeps them where nothing that ends sessions would end them.
 */
export function sessionsByLink() {
  return {
    id: 'sessions-by-link',
    endpoints: {
      beginSession: createAuthEndpoint(
        '/begin-session',
        {
          method: 'POST',
          body: z.object({ userId: z.string() }),
          requireHeaders: true,
          metadata: { SERVER_ONLY: true },
        },
        async context => {
          const { internalAdapter } = context.context;
          const user = await internalAdapter.findUserById(context.body.userId);
          if (user === null) throw context.error('UNAUTHORIZED');
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(context, { session, user });
          return context.json({ token: session.token });
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}
