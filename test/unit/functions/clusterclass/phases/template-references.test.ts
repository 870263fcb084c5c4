import { describe, expect, it } from 'vitest';
import { definitionOf, referencesOf } from '../../../../../functions/clusterclass/phases/template-references.ts';
import { readClusterClass } from '../../../../../shared/api/cluster-class/reader.ts';
import { aClusterClass, aPlainClusterClass, templates, toTemplateRef } from '../../../../support/cluster-class.ts';

describe('the references of a class', () => {
  it('are listed infrastructure first, then the control plane, MachineDeployments and MachinePools', () => {
    expect(referencesOf(readClusterClass(aClusterClass().build()))).toEqual(
      Object.values(templates).map(toTemplateRef),
    );
  });

  const none = { apiVersion: '', kind: '', name: '' };

  it.each([
    { ref: { ...none, apiVersion: 'g/v1' }, counts: true },
    { ref: { ...none, kind: 'FooTemplate' }, counts: true },
    { ref: { ...none, name: 'foo' }, counts: true },
    { ref: none, counts: false },
  ])('count if any part is given: $ref', ({ ref, counts }) => {
    const found = referencesOf(readClusterClass(aPlainClusterClass().withControlPlaneMachines(ref).build()));
    expect(found).toHaveLength(counts ? 3 : 2);
  });

  it.each([
    { change: { name: 'other' } },
    { change: { kind: 'OtherTemplate' } },
    { change: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1' } },
    { change: {} },
  ])('are the same only if all parts are: $change', ({ change }) => {
    const machine = toTemplateRef(templates.workerMachine);
    const clusterClass = aPlainClusterClass().withMachineDeployments({
      a: { bootstrap: templates.workerBootstrap, infrastructure: machine },
      b: { bootstrap: templates.workerBootstrap, infrastructure: { ...machine, ...change } },
    });
    const expected = Object.keys(change).length === 0 ? 4 : 5;
    expect(referencesOf(readClusterClass(clusterClass.build()))).toHaveLength(expected);
  });

  it('name the definition of their kind', () => {
    const ref = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1', kind: 'FooProxy', name: 'x' };
    expect(definitionOf(ref)).toBe('fooproxies.bootstrap.cluster.x-k8s.io');
  });
});
