import type { Kysely } from 'kysely';
import { z } from 'zod';
import { type CarePiece, carePieces, type FirstStep, firstSteps } from '../../contract/first-steps.ts';
import type { Output } from '../../contract/operations.ts';
import {
  initialSettings,
  type SiteSettings,
  settingNames,
  siteSettings,
} from '../../contract/site-settings.ts';
import { lockSetting, readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import type { MailTransport } from '../mail/transport.ts';

const LeftOut = z.array(z.enum(firstSteps));

type StepsContext = {
  db: Kysely<Tables>;
  settings: () => Promise<SiteSettings>;
  mail: Pick<MailTransport, 'kind'>;
};

/** The first steps of a new site, and which of them are done or skipped. */
export async function describeFirstSteps(context: StepsContext): Promise<Output<'getFirstSteps'>> {
  const leftOut = await readLeftOut(context.db);
  const careLacks = await lacksOfCare(context);
  const isDone = await doneSteps(context, careLacks.length === 0);
  return {
    careLacks,
    steps: firstSteps.map(name => ({ name, isDone: isDone[name], isLeftOut: leftOut.includes(name) })),
  };
}

async function lacksOfCare({ settings, mail }: StepsContext): Promise<CarePiece[]> {
  const isThere = { mail: mail.kind === 'smtp', backups: (await settings()).backupAt !== '' };
  return carePieces.filter(piece => !isThere[piece]);
}

async function doneSteps({ db, settings }: StepsContext, care: boolean): Promise<Record<FirstStep, boolean>> {
  const post = await db.selectFrom('posts').select('id').limit(1).executeTakeFirst();
  const invitation = await db.selectFrom('invitations').select('id').limit(1).executeTakeFirst();
  const now = await settings();
  const hasLook = settingNames.some(
    name => siteSettings[name].group === 'look' && now[name] !== initialSettings[name],
  );
  const others = {
    about: ((await readSetting(db, 'about')) ?? '') !== '',
    post: post !== undefined,
    invite: invitation !== undefined,
    care,
  };
  // A site where all else is done was set up before this step was one of its own, or likes its look.
  return { look: hasLook || Object.values(others).every(Boolean), ...others };
}

async function readLeftOut(db: Kysely<Tables>): Promise<readonly FirstStep[]> {
  const stored = await readSetting(db, 'left-out-steps');
  return stored === undefined ? [] : LeftOut.parse(JSON.parse(stored));
}

/** Skips a step for everybody. */
export async function leaveOutStep(context: WriteContext, step: FirstStep): Promise<void> {
  await inTransaction(context, async trx => {
    await lockSetting(trx, 'left-out-steps', '[]');
    const steps = new Set(await readLeftOut(trx)).add(step);
    await writeSetting(trx, 'left-out-steps', JSON.stringify([...steps]));
  });
}
