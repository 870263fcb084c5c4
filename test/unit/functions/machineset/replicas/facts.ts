// Facts about Machines as short texts: `m1 chosen noNode age=3`.
import type { MachineFacts } from '../../../../../functions/machineset/phases/replicas/machine-facts.ts';

export const testNow = 1_000 * 86_400_000;

/** Healthy, with a Node, created now. The ages are days. */
function facts(text: string): MachineFacts {
  const [name = '', ...marks] = text.split(' ');
  const age = marks.find(mark => mark.startsWith('age='))?.slice('age='.length);
  const has = (mark: string): boolean => marks.includes(mark);
  return {
    name,
    createdAt: age === 'unknown' ? undefined : testNow - Number(age ?? 0) * 86_400_000,
    isDeleting: has('deleting'),
    isChosen: has('chosen'),
    isUpdatingInPlace: has('updating') || has('waiting'),
    waitsForAcknowledgement: has('waiting'),
    hasNode: !has('noNode'),
    isUnhealthy: has('noNode') || has('unhealthy'),
    mustBeRemediated: has('remediate'),
  };
}

export function listOfFacts(text: string): readonly MachineFacts[] {
  return text === '' ? [] : text.split(', ').map(facts);
}

export function namesOf(machines: readonly MachineFacts[]): string {
  return machines.map(({ name }) => name).join(' ');
}
