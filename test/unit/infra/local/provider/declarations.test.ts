import { expect, it } from 'vitest';
import { simulatedCrds } from '../../../../../infra/local/provider/crds/index.ts';
import { simulatedDeclarations } from '../../../../../infra/local/provider/declarations.ts';
import { crdNameOf } from '../../../../../shared/names/plural.ts';

it('has a definition for each kind that the simulated provider reconciles', () => {
  expect(simulatedDeclarations.map(({ primary }) => crdNameOf(primary)).sort()).toEqual(
    simulatedCrds.map(({ metadata }) => metadata.name).sort(),
  );
});

it('names its functions after their kinds', () => {
  expect(simulatedDeclarations.map(({ name }) => name)).toEqual([
    'simulated-cluster',
    'simulated-legacy-cluster',
    'simulated-control-plane',
  ]);
});
