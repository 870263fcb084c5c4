// What a plan does to each object: the words of `--fail-on`, of the summary and of the table. Pure.
import type { ActionLine, PlanReport } from './plan-report.ts';

/** The words of `--fail-on`. `replace`: Machines are replaced. */
export const changeWords = ['create', 'change', 'replace', 'delete'] as const;
export type ChangeWord = (typeof changeWords)[number];

export interface ObjectOutcome {
  /** The name in the form `Kind namespace/name`. */
  readonly object: string;
  readonly words: readonly ChangeWord[];
  readonly why: readonly string[];
  /** The actions on the object, in order. Empty for an object whose Machines are replaced without a write now. */
  readonly actions: readonly ActionLine[];
}

/** Returns each object once, with its outcome. An object that is made and deleted again is deleted. */
export function objectChanges({
  passes,
  replacements,
}: Pick<PlanReport, 'passes' | 'replacements'>): readonly ObjectOutcome[] {
  const actions = passes.flatMap(pass => pass.actions).filter(action => action.do !== 'run');
  const byObject = Map.groupBy(actions, ({ object, workloadOf }) =>
    workloadOf === undefined ? object : `${object} in the workload cluster of ${workloadOf}`,
  );
  const replaced = Map.groupBy(replacements, ({ object }) => object);
  return [...new Set([...byObject.keys(), ...replaced.keys()])].map(object => {
    const own = byObject.get(object) ?? [];
    const rollouts = replaced.get(object) ?? [];
    const words = [...wordOf(own), ...(rollouts.length === 0 ? [] : (['replace'] as const))];
    return { object, words, why: [...new Set([...own, ...rollouts].map(({ why }) => why))], actions: own };
  });
}

/** Returns how many objects each word is true for. */
export function countWords(changes: readonly ObjectOutcome[]): Readonly<Record<ChangeWord, number>> {
  const count = (word: ChangeWord): number => changes.filter(({ words }) => words.includes(word)).length;
  return { create: count('create'), change: count('change'), replace: count('replace'), delete: count('delete') };
}

function wordOf(actions: readonly ActionLine[]): readonly ChangeWord[] {
  if (actions.length === 0) {
    return [];
  }
  if (actions.some(action => action.do === 'delete' || action.do === 'evict')) {
    return ['delete'];
  }
  return actions.some(action => action.do === 'create' || action.isNew === true) ? ['create'] : ['change'];
}
