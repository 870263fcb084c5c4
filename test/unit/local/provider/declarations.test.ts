import { crdNameOf } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { reconciledCrds } from '../../../../local/provider/crds/index.ts';
import { localDeclarations, simulatedDeclarations } from '../../../../local/provider/declarations.ts';

it('has a definition for each kind that the simulated provider reconciles', () => {
  expect(simulatedDeclarations.map(({ primary }) => crdNameOf(primary)).sort()).toEqual(
    reconciledCrds.map(({ metadata }) => metadata.name).sort(),
  );
});

it('names its functions after their kinds', () => {
  expect(simulatedDeclarations.map(({ name }) => name)).toEqual([
    'simulated-cluster',
    'simulated-legacy-cluster',
    'simulated-control-plane',
    'simulated-machine',
    'simulated-machine-pool',
    'simulated-bootstrap-config',
  ]);
});

it('also sets the conditions of Machines of control planes, in a separate function', () => {
  expect(
    localDeclarations.slice(simulatedDeclarations.length).map(({ name, primary }) => `${name} ${primary.kind}`),
  ).toEqual(['simulated-control-plane-machine Machine']);
});
