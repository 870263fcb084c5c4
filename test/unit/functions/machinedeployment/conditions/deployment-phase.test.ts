import { expect, it } from 'vitest';
import { phaseOf } from '../../../../../functions/machinedeployment/conditions/deployment-phase.ts';
import { type FactTexts, facts } from './deployment-facts.ts';

const cases: readonly (FactTexts & { readonly phase: string; readonly reason: string })[] = [
  { sets: undefined, phase: 'Unknown', reason: 'the MachineSets are not known' },
  { sets: ['ms1 3/3'], spec: { replicas: undefined }, phase: 'Unknown', reason: 'spec.replicas is missing' },
  { sets: undefined, isDeleting: true, phase: 'Unknown', reason: 'the MachineSets are not known during deletion' },
  { sets: ['ms1 3/3'], isDeleting: true, phase: 'ScalingDown', reason: 'it is being deleted' },
  { sets: ['ms1 3/1'], isDeleting: true, phase: 'ScalingDown', reason: 'Machines that are missing do not matter' },
  { sets: ['ms1 2/2', 'ms2 1/1'], phase: 'Running', reason: 'all MachineSets together have the replicas' },
  { sets: [], spec: { replicas: 0 }, phase: 'Running', reason: 'none are wanted' },
  { sets: ['ms1 3/4'], phase: 'ScalingDown', reason: 'one Machine is too many' },
  { sets: ['ms1 3/2'], phase: 'ScalingUp', reason: 'one Machine is missing' },
  { sets: ['ms1 3'], phase: 'ScalingUp', reason: 'no MachineSet reports Machines' },
];

it.each(cases)('the phase is $phase: $reason', ({ phase, ...texts }) => {
  expect(phaseOf(facts(texts))).toBe(phase);
});
