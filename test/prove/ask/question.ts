import type { Viewer } from '../model/rule.ts';
import type { World } from '../model/world.ts';
import type { Answer, Ask } from '../wire.ts';

/** Sends one request as the question's credential. */
export type Send = (ask: Ask) => Promise<Answer>;

/** What is wrong with an answer. A leak shows what nobody may see; the rest may only be late. */
export type Finding = { isLeak: boolean; text: string };

/** Something asked of the site as one viewer, and what must come back. It changes nothing. */
export type Question = {
  title: string;
  ask(send: Send): Promise<Answer[]>;
  /** What is wrong, beside words that are out of place. `viewer` is null for a bearer token that is not good. */
  judge(world: World, viewer: Viewer | null, answers: readonly Answer[]): Finding[];
  /** What this answer may hold beyond what the viewer may know in general: an export of one's own. */
  also?(world: World, viewer: Viewer | null): readonly string[];
};

export const leak = (text: string): Finding => ({ isLeak: true, text });
export const wrong = (text: string): Finding => ({ isLeak: false, text });

/** Words that must be in an answer and are not. */
export function missing(text: string, words: readonly (string | null | undefined)[]): Finding[] {
  return words.flatMap(word => (word && !text.includes(word) ? [wrong(`${word} is not there`)] : []));
}
