import type { Viewer } from '../model/rule.ts';
import type { World } from '../model/world.ts';
import type { Answer, Ask } from '../wire.ts';

/** Sends one request as the question's credential. */
export type Send = (ask: Ask) => Promise<Answer>;

/**
 * What is wrong with an answer. A leak shows what the viewer may not see; other findings may only be late.
 */
export type Finding = { isLeak: boolean; text: string };

/** A question to the site as one viewer, and the expected answer. It changes nothing. */
export type Question = {
  title: string;
  ask(send: Send): Promise<Answer[]>;
  /** The findings, beside leaked words. `viewer` is null for an invalid bearer token. */
  judge(world: World, viewer: Viewer | null, answers: readonly Answer[]): Finding[];
  /** The words that this answer may hold beside those that the viewer may know: an export holds more. */
  also?(world: World, viewer: Viewer | null): readonly string[];
};

export const leak = (text: string): Finding => ({ isLeak: true, text });
export const wrong = (text: string): Finding => ({ isLeak: false, text });

/** The words that an answer lacks. */
export function missing(text: string, words: readonly (string | null | undefined)[]): Finding[] {
  return words.flatMap(word => (word && !text.includes(word) ? [wrong(`${word} is not there`)] : []));
}
