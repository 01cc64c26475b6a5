import type { Location } from '../support/site.ts';
import { importOn } from './imports.ts';
import { answeredOn, postedOn } from './incoming-mails.ts';
import type { World } from './model/world.ts';
import type { DeedOf } from './steps.ts';
import { workedOn } from './transfers.ts';

/**
 * Does what a command or a process of its own does while the servers run. Returns these worlds as they are
 * after it, or what is wrong.
 */
export async function runCommand(
  location: Location,
  worlds: readonly World[],
  step: DeedOf<'importPost' | 'answerByMail' | 'postByMail' | 'workOnTransfers'>,
): Promise<World[] | string> {
  switch (step.do) {
    case 'importPost':
      return await importOn(location, worlds, step);
    case 'answerByMail':
      return await answeredOn(location, worlds, step);
    case 'postByMail':
      return await postedOn(location, worlds, step);
    case 'workOnTransfers':
      return await workedOn(location, worlds);
  }
}
