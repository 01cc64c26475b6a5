import { AnyOrder } from '../model/answers.ts';
import type { World } from '../model/world.ts';
import { tagWord } from '../model/world.ts';
import { call } from './operations.ts';
import type { Question } from './question.ts';

/** What is asked about ways in: passkeys, second factors, invitations. */
export function wayQuestions(world: World): Question[] {
  return [
    call(
      'listPasskeys',
      {},
      'signed-in',
      (at, { account }) => {
        const own = Object.values(at.passkeys).filter(each => each.account === account?.name && !each.isGone);
        return { result: { passkeys: new AnyOrder(own.map(({ id, label }) => ({ id, name: label }))) } };
      },
      { isForTokens: false },
    ),
    call(
      'getSecondFactor',
      {},
      'signed-in',
      (_, { account }) => ({
        result: { isOn: account?.codes != null, recoveryCodesLeft: account?.codes?.length ?? 0 },
      }),
      { isForTokens: false },
    ),
    call('getAdminFactor', {}, 'admin', at => ({ result: { isRequired: at.requiresFactor } })),
    call('listInvitations', {}, 'admin', at => {
      const all = Object.values(at.invitations).map(({ id, tags }) => ({
        id,
        tags: tags.map(tag => tagWord(at, tag)).sort(),
      }));
      return { result: { invitations: new AnyOrder(all) } };
    }),
    ...Object.values(world.invitations)
      .filter(({ secret }) => secret !== '')
      .slice(-3)
      .map(({ name, secret }) =>
        call(
          'getInvitation',
          { token: secret },
          'anyone',
          at => {
            const { usesLeft = 0, isRevoked, by = '' } = at.invitations[name] ?? {};
            const maker = at.accounts[by];
            const isOpen = usesLeft > 0 && !isRevoked && maker?.isAdmin === true && !maker.isGone;
            return { result: { invitation: isOpen ? { email: null, isProven: false, name: '' } : null } };
          },
          { isForTokens: false },
        ),
      ),
  ];
}
