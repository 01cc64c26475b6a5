import type { Deed, DeedOf } from '../steps.ts';
import type { World } from './world.ts';

/** The expected answer: a refusal with its code, or a result that holds at least this. */
export type Expectation = { refusal: string } | { result: unknown };

/** Values of what a step made that only the server can know, from its answer. */
export type Told = Partial<
  Record<'id' | 'createdAt' | 'publishedAt' | 'cookie' | 'bearer' | 'secret' | 'face', string>
>;

/** Changes the world as the step should, unless the step must be refused. */
export type Act<Name extends Deed['do']> = (world: World, step: DeedOf<Name>, told: Told) => Expectation;
export type Acts<Name extends Deed['do']> = { [Each in Name]: Act<Each> };
