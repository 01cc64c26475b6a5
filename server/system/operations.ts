import type { systemOperations } from '../../contract/system.ts';
import type { Handlers } from '../access/context.ts';
import type { Config } from '../config.ts';
import { getSystemState } from './read.ts';

export const systemHandlers: Handlers<typeof systemOperations, { config: Config }> = {
  getSystemState,
};
