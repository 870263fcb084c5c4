// What the simulated provider may do beside what every provider may.
import type { PolicyRule } from '../../../shared/kernel/types.ts';
import { pluralOf } from '../../../shared/names/plural.ts';

export function rightToVanish(group: string, kind: string): PolicyRule {
  const why = 'takes an object away when told to lose it';
  return { apiGroups: [group], resources: [pluralOf(kind)], verbs: ['delete'], why };
}
