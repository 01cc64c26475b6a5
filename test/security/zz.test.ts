import { it } from 'vitest';
import { describeEngines } from '../engines.ts';

describeEngines('t', ({ site, engine }) => {
  it.runIf(engine === 'sqlite')(
    'big',
    async () => {
      const s = await site();
      const go = async (name: string, body: string, as: any = null) => {
        const t = performance.now();
        const r = await s.request('/api/' + name, as, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        const text = await r.text();
        console.log(
          name,
          body.length,
          r.status,
          text.length,
          Math.round(performance.now() - t) + 'ms',
          text.slice(0, 80),
        );
      };
      const n = (k: number) => '[' + Array(k).fill(0).join() + ']';
      await go('getPosts', `{"data":{"filtTags":${n(1000)}}}`);
      await go('getPosts', `{"data":{"filtTags":${n(30000)}}}`);
      await go('getPosts', `{"data":{"filtTags":${n(500000)}}}`);
      await go('getPosts', `{"data":{"currentUser":${n(3900000)}}}`);
      await go('getPosts', `{"data":{"currentUser":${'['.repeat(90) + n(3900000) + ']'.repeat(90)}}}`);
      await go('getPosts', `{"data":{${Array.from({ length: 300000 }, (_, i) => `"k${i}":1`).join()}}}`);
      await go('getPosts', `{"data":${'['.repeat(4000000)}`);
      await go('getPosts', `{"data":${'['.repeat(4000000)}${']'.repeat(4000000)}}`);
      await go('getPosts', `{"data":${'{"a":'.repeat(1300000)}1${'}'.repeat(1300000)}}`);
      await go('signIn', `{"data":{"email":"${'a'.repeat(7900000)}","password":"x"}}`);
      await go(
        'signUp',
        `{"data":{"username":"mina","name":"${' '.repeat(7900000)}","email":"a@b.cc","password":"xxxxxx"}}`,
      );
      await go(
        'signUp',
        `{"data":{"username":"mina","name":"abc","email":"${'a.'.repeat(3900000)}@b.cc","password":"xxxxxx"}}`,
      );
      await go('requestPasswordReset', `{"data":{"email":"${'a.'.repeat(100000)}@"}}`);
      await go('requestPasswordReset', `{"data":{"email":"${'a@'.repeat(100000)}"}}`);
      await go('requestPasswordReset', `{"data":{"email":"a@${'a.'.repeat(100000)}"}}`);
      await go('requestPasswordReset', `{"data":{"email":"a@${'a-'.repeat(100000)}"}}`);
      const m = await s.member();
      await go('addComment', `{"data":{"postId":"x","content":"${' '.repeat(19000)}"}}`, m);
      const admin = await s.admin();
      await go('describeAudience', `{"data":{"tags":${n(500000)}}}`, admin);
      await go('describeAudience', `{"data":{"tags":["${' a'.repeat(1900000)}"]}}`, admin);
      await go(
        'createPost',
        `{"data":{"type":"essay","title":"${' a'.repeat(1900000)}","description":"x","content":"x","isDraft":true}}`,
        admin,
      );
      await go('getUsers', `{"data":{"list":"approved","search":"${'%'.repeat(100)}"}}`, admin);
    },
    120000,
  );
});
