import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import type { Site } from '../support/site.ts';
import { storeFile } from '../support/storage.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('doctor finds everything that is broken', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay({ tags: ['one'] }));
    const { id } = await storeFile(s.deps, { name: 'a', bytes: Buffer.from('a'), uploaderId: admin.id });
    expect(await examine(s.deps)).toEqual([]);
    await s.deps.db.updateTable('posts').set({ like_count: 3, comment_count: 2 }).execute();
    await s.deps.db.updateTable('tag_sets').set({ published_count: 7 }).execute();
    await sql`delete from post_search`.execute(s.deps.db);
    await truncate(join(s.config.dataDir, 'files', id), 0);
    const findings = await examine(s.deps);
    expect(findings.map(finding => finding.rule)).toEqual([
      'Like counts match the likes.',
      'Comment counts match the comments.',
      'Post counts of tag combinations match the posts.',
      'Every post is in the search index.',
      'Every file exists and is intact.',
    ]);
    expect(findings[3]?.broken).toEqual([postId]);
    expect(findings[0]?.broken).toEqual([postId]);
  });

  const transfer = (columns: object) => async (s: Site) => {
    const row = { id: 'broken', kind: 'import', what: 'ghost', state: 'done', is_dry_run: false } as const;
    const rest = { files: '[]', user_id: null, created_at: 1, ended_at: 2 };
    await s.deps.db
      .insertInto('transfers')
      .values({ ...row, ...rest, ...columns })
      .execute();
    return 'broken';
  };
  const invite = async (s: Site, columns: { is_mailed?: boolean } = {}) => {
    const row = { id: 'broken', digest: 'x', name: null, email: null, is_mailed: false, created_by: null };
    const rest = { created_at: 1, expires_at: 2, max_uses: 3 };
    await s.deps.db
      .insertInto('invitations')
      .values({ ...row, ...rest, ...columns })
      .execute();
    return 'broken';
  };

  const held = { ended_at: null, state: 'running', lease: 'x', leased_until: 3 };
  const made = { kind: 'export', what: 'archive', made: '{}' };
  const breaks: Record<string, (s: Site) => Promise<string>> = {
    'Invitations count everybody who joined by them.': async s => {
      const id = await invite(s);
      const { id: user_id } = await s.member();
      await s.deps.db.insertInto('invitation_uses').values({ user_id, invitation_id: id }).execute();
      return id;
    },
    'Mailed invitations have an address.': s => invite(s, { is_mailed: true }),
    'Passkeys have a key.': async s => {
      const { id: user_id } = await s.member();
      const key = { name: 'a', credential_id: 'x', public_key: '', counter: 0, transports: '' };
      await s.deps.db
        .insertInto('passkeys')
        .values({ id: 'broken', user_id, ...key, is_synced: false, created_at: 1, last_used_at: null })
        .execute();
      return 'broken';
    },
    'Recovery codes belong to a second factor.': async s => {
      const { id: user_id } = await s.member();
      await s.deps.db.insertInto('recovery_codes').values({ digest: 'x', user_id }).execute();
      return user_id;
    },
    'Second factors have a secret.': async s => {
      const { id: user_id } = await s.member();
      await s.deps.db
        .insertInto('second_factors')
        .values({ user_id, secret: '', last_step: 0, created_at: 1 })
        .execute();
      return user_id;
    },
    'Imports and exports that are over say when, and nobody holds them.': transfer({ ended_at: null }),
    'Imports and exports that are not over have no end.': transfer({ ...held, ended_at: 2 }),
    'Imports and exports that run are held by a process.': transfer({ ...held, lease: null }),
    'Only dry runs of imports wait to be started.': transfer({ state: 'checked', ended_at: null }),
    'Only exports that are done have made a file, and they name it.': transfer(made),
  };

  it.each(Object.entries(breaks))('doctor finds a row that breaks a rule: %s', async (rule, breakIt) => {
    const s = await site();
    expect(await examine(s.deps)).toEqual([]);
    const broken = await breakIt(s);
    expect(await examine(s.deps)).toEqual([{ rule, broken: [broken] }]);
  });

  it('doctor finds no problem in a checked import and a finished export', async () => {
    const s = await site();
    await transfer({ state: 'checked', is_dry_run: true, ended_at: null })(s);
    await transfer({ ...made, id: 'fine', made_key: 'x' })(s);
    expect(await examine(s.deps)).toEqual([]);
  });
});
