import type { Step } from './steps.ts';

/** Plays a history from its beginning; resolves with its findings. */
export type Replay = (steps: readonly Step[]) => Promise<string[]>;

/** How often a history is played at most until it counts as the smallest. */
const mostPlayed = 150;

/**
 * The smallest history that still fails: without steps that are not needed (halves first, then smaller
 * parts), and with each step as plain as it can be.
 */
export async function shrink(
  steps: readonly Step[],
  replay: Replay,
): Promise<{ steps: Step[]; findings: string[] }> {
  let smallest: { steps: Step[]; findings: string[] } = { steps: [...steps], findings: await replay(steps) };
  const kind = kindOf(smallest.findings);
  let played = 1;
  const attempt = async (candidate: Step[]) => {
    if (played >= mostPlayed || candidate.length === 0) return false;
    played += 1;
    const findings = await replay(candidate);
    if (kindOf(findings) !== kind) return false;
    smallest = { steps: candidate, findings };
    return true;
  };
  if (smallest.findings.length === 0) return smallest;
  for (let size = Math.ceil(steps.length / 2); size >= 1; ) {
    let hasShrunk = false;
    // From the end: there a step that is not needed seldom has consequences.
    for (let from = smallest.steps.length - size; from > -size; from -= size) {
      const at = Math.max(0, from);
      if (await attempt(smallest.steps.toSpliced(at, Math.min(size, from + size)))) hasShrunk = true;
    }
    if (size === 1 && !hasShrunk) break;
    if (size > 1) size = Math.floor(size / 2);
    if (played >= mostPlayed) break;
  }
  for (let index = 0; index < smallest.steps.length; index += 1) {
    for (let plainer = plainerSteps(smallest.steps[index]); plainer.length > 0; ) {
      const step = plainer.shift();
      if (step === undefined) break;
      if (await attempt(smallest.steps.with(index, step))) plainer = plainerSteps(step);
    }
  }
  return smallest;
}

/** What the finding is about. A shorter history with another finding would show another mistake. */
function kindOf([finding]: readonly string[]): string | undefined {
  return finding?.split(/[ :]/)[0];
}

/** The step in simpler forms, each with one thing less. */
function plainerSteps(step: Step | undefined): Step[] {
  if (step === undefined) return [];
  if ('steps' in step) {
    const fewer = step.steps.map((_, index) => ({ ...step, steps: step.steps.toSpliced(index, 1) }));
    return step.steps.length > 1 ? fewer : step.steps.slice(0, 1);
  }
  return (['tags', 'attach', 'shows', 'posts'] as const).flatMap(field => {
    const list: unknown = field in step ? step[field as keyof typeof step] : undefined;
    if (!Array.isArray(list)) return [];
    return list.map((_, index) => ({ ...step, [field]: list.toSpliced(index, 1) }));
  });
}
