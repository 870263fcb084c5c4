import { describe, expect, it } from 'vitest';
import type { DesiredParts } from '../desired/desired-input.ts';
import { forInfrastructure, infrastructureSelector, patchOf, problemOfPatches, started } from './patch-run.ts';

/** Returns the uids of the templates that one patch with this selector changes, each with the number of changes. */
function selected(...selectors: readonly object[]): readonly string[] {
  const definitions = selectors.map(selector => ({
    selector,
    jsonPatches: [{ op: 'add', path: '/spec/template/spec/foo', value: 1 }],
  }));
  const run = started({ ofClass: { spec: { patches: [{ name: 'p', definitions }] } } });
  const generated = run.run.generate(patchOf(run));
  return generated.ok ? generated.value.map(({ item, definition }) => `${item.uid} ${definition}`) : [generated.error];
}

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const machine = { apiVersion: infrastructure, kind: 'GenericInfrastructureMachineTemplate' };
const boot = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfigTemplate' };
const everything = {
  controlPlane: true,
  infrastructureCluster: true,
  machineDeploymentClass: { names: ['*'] },
  machinePoolClass: { names: ['*'] },
};

describe('a selector', () => {
  it('of everything still means one kind', () => {
    expect(selected({ ...machine, matchResources: everything })).toEqual([
      'controlPlaneMachines definitions[0]',
      'machineDeployment/md1/infrastructure definitions[0]',
    ]);
    expect(selected({ ...boot, matchResources: everything })).toEqual([
      'machineDeployment/md1/bootstrap definitions[0]',
      'machinePool/mp1/bootstrap definitions[0]',
    ]);
  });

  it.each([
    { reason: 'another kind', selector: { ...infrastructureSelector, kind: 'Other' } },
    { reason: 'another group', selector: { ...infrastructureSelector, apiVersion: 'other/v1beta2' } },
    { reason: 'nothing', selector: { ...infrastructureSelector, matchResources: {} } },
    { reason: 'another use', selector: { ...infrastructureSelector, matchResources: { controlPlane: true } } },
  ])('of $reason selects nothing', ({ selector }) => {
    expect(selected(selector)).toEqual([]);
  });

  it.each([
    { names: ['*'], isMatch: true },
    { names: ['worker'], isMatch: true },
    { names: ['other', 'worker'], isMatch: true },
    { names: ['work*'], isMatch: true },
    { names: ['*ker'], isMatch: true },
    { names: ['orke'], isMatch: false },
    { names: ['work'], isMatch: false },
    { names: ['*work'], isMatch: false },
    { names: ['ker*'], isMatch: false },
    { names: [], isMatch: false },
  ])('of the classes $names selects those of worker: $isMatch', ({ names, isMatch }) => {
    expect(selected({ ...machine, matchResources: { machineDeploymentClass: { names } } })).toEqual(
      isMatch ? ['machineDeployment/md1/infrastructure definitions[0]'] : [],
    );
  });

  it('may select the same templates as another one: each definition is applied, in order', () => {
    expect(selected(infrastructureSelector, infrastructureSelector)).toEqual([
      'infrastructureCluster definitions[0]',
      'infrastructureCluster definitions[1]',
    ]);
  });
});

describe('errors of one patch', () => {
  const failing = (variable: string) => [{ op: 'add', path: '/spec/template/spec/foo', valueFrom: { variable } }];

  it('are reported together, each once', () => {
    const definitions = [
      { selector: infrastructureSelector, jsonPatches: failing('one') },
      { selector: infrastructureSelector, jsonPatches: failing('two') },
      { selector: { ...machine, matchResources: everything }, jsonPatches: failing('one') },
    ];
    const problem = (kind: string, name: string) =>
      `failed to generate JSON patches for "${kind}": failed to calculate value: variable "${name}" does not exist`;
    expect(problemOfPatches({ ofClass: { spec: { patches: [{ name: 'p', definitions }] } } })).toBe(
      `[${problem('GenericInfrastructureClusterTemplate', 'one')}, ` +
        `${problem('GenericInfrastructureClusterTemplate', 'two')}, ` +
        `${problem('GenericInfrastructureMachineTemplate', 'one')}]`,
    );
  });

  it('are cut where they are endless', () => {
    const problem = problemOfPatches(forInfrastructure(failing('x'.repeat(10_000))));
    expect(problem?.length).toBe(4097);
    expect(problem?.endsWith('x…')).toBe(true);
  });

  it('name an operation that inline patches do not have', () => {
    expect(problemOfPatches(forInfrastructure([{ op: 'test', path: '/spec', value: 1 }]))).toBe(
      'failed to generate JSON patches for "GenericInfrastructureClusterTemplate": unsupported operation "test" (definitions[0].jsonPatches[0])',
    );
  });

  it('need no value for a removal', () => {
    const removal = { op: 'remove', path: '/spec/template/spec/region', valueFrom: { variable: 'missing' } };
    expect(problemOfPatches(forInfrastructure([removal]))).toBeUndefined();
  });
});

it('generates nothing for a patch without definitions', () => {
  const { run, patches } = started({ ofClass: { spec: { patches: [{ name: 'p' }] } } });
  expect(patches.map(patch => run.generate(patch))).toEqual([{ ok: true, value: [] }]);
});

it('shows a template every variable but one that is called builtin', () => {
  const options: DesiredParts = {
    ...forInfrastructure([
      { op: 'add', path: '/spec/template/spec/foo', valueFrom: { variable: 'builtin.cluster.name' } },
    ]),
    definitions: ['builtin', 'v'].map(name => ({
      name,
      definitionsConflict: false,
      definitions: [{ from: 'inline', required: false, schema: { openAPIV3Schema: {} } }],
    })),
    variables: { cluster: [{ name: 'builtin', value: 'mine' }] },
  };
  expect(problemOfPatches(options)).toBeUndefined();
});
