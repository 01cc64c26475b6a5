import { randomBytes } from 'node:crypto';
import * as firebase from 'firebase/app';
import { type Functions, getFunctions } from 'firebase/functions';
import { connectStorageEmulator, type FirebaseStorage, getStorage } from 'firebase/storage';

/** Public in the package, but for its types. */
const { _addComponent: addComponent } = firebase as unknown as {
  _addComponent(app: firebase.FirebaseApp, component: object): void;
};

export type Sdk = { app: firebase.FirebaseApp; storage: FirebaseStorage; functions: Functions };

/** The unmodified SDK, pointed at a site, as somebody with this token. `base`: where its functions are. */
export function sdkFor(port: number, token?: string, base = `http://127.0.0.1:${port}/api`): Sdk {
  const app = firebase.initializeApp(
    { projectId: 'blog', storageBucket: 'coterie' },
    randomBytes(6).toString('hex'),
  );
  if (token !== undefined) {
    const auth = { getToken: async () => ({ accessToken: token }), addAuthTokenListener: () => {} };
    // What `firebase/auth` registers: the one way by which functions learn of a token.
    addComponent(app, {
      name: 'auth-internal',
      instanceFactory: () => auth,
      type: 'PRIVATE',
      multipleInstances: false,
      serviceProps: {},
      instantiationMode: 'LAZY',
      onInstanceCreated: null,
    });
  }
  const storage = getStorage(app);
  connectStorageEmulator(storage, '127.0.0.1', port, token === undefined ? {} : { mockUserToken: token });
  return { app, storage, functions: getFunctions(app, base) };
}

/** The code with which the SDK is refused. */
export async function sdkCode(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  throw new Error('It was not refused.');
}
