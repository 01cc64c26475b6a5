import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { conversation } from '../support/conversation.ts';
import { describeEngines } from '../support/engines.ts';
import { openLive } from '../support/live.ts';
import { type Person, refusal } from '../support/site.ts';

describeEngines(({ site }) => {
  it('a conversation hides a reported comment from all but its writer, who reads why, and shows it again', async () => {
    const s = await site();
    const { admin, writer, reader, postId, threads, shown, first } = await conversation(s);
    const queue = async (list: 'reported' | 'hidden' = 'reported') => {
      const { comments, total } = await s.call(admin, 'listReportedComments', { list });
      expect(total).toBe(comments.length);
      return comments;
    };
    const report = (as: Person, word?: string) => s.call(as, 'reportComment', { commentId: first.id, word });
    expect(await refusal(report(writer))).toBe('failed-precondition');
    await report(reader, ' rude ');
    await report(reader, 'very rude');
    expect(await queue()).toMatchObject([
      { postId, comment: { id: first.id }, reports: [{ username: 'mina', word: 'very rude' }] },
    ]);
    const hide = (as: Person) => s.call(as, 'hideComment', { commentId: first.id, reason: 'Be kind.' });
    expect(await refusal(hide(reader))).toBe('permission-denied');
    expect(await hide(admin)).toMatchObject({ commentCount: 0, comment: { state: 'hidden' } });
    expect(await queue()).toEqual([]);
    expect(await queue('hidden')).toMatchObject([{ comment: { content: 'first' }, reports: [] }]);
    const all = await s.call(admin, 'listReportedComments', { list: 'all' });
    expect(all).toMatchObject({ comments: [{ comment: { state: 'hidden' } }], total: null });
    expect(await shown(reader)).toEqual([]);
    for (const person of [admin, writer]) {
      const { comments } = await threads(person);
      expect(comments).toMatchObject([{ content: 'first', state: 'hidden', hiddenReason: 'Be kind.' }]);
    }
    const own = await s.call(writer, 'getOwnComments', {});
    expect(own.comments).toMatchObject([{ hiddenReason: 'Be kind.' }]);
    const edit = s.call(writer, 'editComment', { commentId: first.id, content: 'kind' });
    expect(await refusal(edit)).toBe('failed-precondition');
    expect(await refusal(report(reader))).toBe('not-found');
    expect(await examine(s.deps)).toEqual([]);
    await s.call(admin, 'restoreComment', { commentId: first.id });
    expect(await shown(reader)).toEqual(['first']);
    expect((await threads(reader)).commentCount).toBe(1);
    await report(reader);
    await s.call(admin, 'dismissReports', { commentId: first.id });
    expect(await queue()).toEqual([]);
  });

  it('a conversation keeps a report that the deciding admin has not seen', async () => {
    const s = await site();
    const { admin, reader, first } = await conversation(s);
    const [commentId, other] = [first.id, await s.member([], 'nora')];
    const words = async () => {
      const { comments } = await s.call(admin, 'listReportedComments', { list: 'reported' });
      return comments.flatMap(({ reports }) => reports.map(({ word }) => word));
    };
    const decisions = [
      (seenUntil: string) => s.call(admin, 'dismissReports', { commentId, seenUntil }),
      (seenUntil: string) => s.call(admin, 'hideComment', { commentId, reason: 'no', seenUntil }),
      (seenUntil: string) => s.call(admin, 'restoreComment', { commentId, seenUntil }),
    ];
    await s.call(reader, 'reportComment', { commentId, word: 'seen' });
    const seenUntil = new Date(s.deps.clock()).toISOString();
    s.wait(1);
    await s.call(other, 'reportComment', { commentId, word: 'not seen' });
    for (const decide of decisions) {
      await decide(seenUntil);
      expect(await words()).toEqual(['not seen']);
    }
    // A second word of the same reader is as new.
    await s.call(reader, 'reportComment', { commentId, word: 'seen' });
    const again = new Date(s.deps.clock()).toISOString();
    s.wait(1);
    await s.call(reader, 'reportComment', { commentId, word: 'more' });
    await s.call(admin, 'dismissReports', { commentId, seenUntil: again });
    expect(await words()).toEqual(['more']);
  });

  it('a conversation lets a muted member read, and write again once an admin allows it', async () => {
    const s = await site();
    const { admin, writer, postId, shown, first } = await conversation(s);
    const mute = (userId: string, isMuted: boolean) => s.call(admin, 'setMuted', { userId, isMuted });
    expect((await mute(writer.id, true)).user.isMuted).toBe(true);
    expect((await s.call(writer, 'getViewer', {})).user?.isMuted).toBe(true);
    expect(await shown(writer)).toEqual(['first']);
    const write = () => s.call(writer, 'addComment', { postId, content: 'more' });
    expect(await refusal(write())).toBe('permission-denied');
    const edit = s.call(writer, 'editComment', { commentId: first.id, content: 'x' });
    expect(await refusal(edit)).toBe('permission-denied');
    await mute(writer.id, false);
    expect((await write()).commentCount).toBe(2);
    expect(await refusal(mute(admin.id, true))).toBe('failed-precondition');
  });

  it('a conversation shows a hidden comment and its reason in open pages of its writer and of admins alone', async () => {
    const s = await site();
    const { admin, writer, reader, postId, first } = await conversation(s);
    const streams = await Promise.all([writer, admin].map(person => openLive(s, person, postId)));
    for (const stream of streams) await stream.until('state');
    const others = await openLive(s, reader, postId);
    await others.until('state');
    await s.call(admin, 'hideComment', { commentId: first.id, reason: 'secretreason' });
    for (const stream of streams)
      expect(await stream.until('comments')).toMatchObject({ added: [{ hiddenReason: 'secretreason' }] });
    expect(JSON.stringify(await others.until('comments'))).not.toContain('secretreason');
  });
});
