import type { Unstructured } from '@capi-serverless/apimachinery';
import { expect, test } from 'vitest';
import { isRolledOut } from '../../../../bench/rollout/rollout-workload.ts';

function anObject(
  kind: string,
  name: string,
  fields: { readonly spec?: object; readonly status?: object },
): Unstructured {
  const metadata = { name, uid: name, resourceVersion: '1' };
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind, metadata, ...fields };
}

const aMachine = (name: string, version: string, phase = 'Running') =>
  anObject('Machine', name, { spec: { version }, status: { phase } });
const aSet = (name: string, version: string, replicas: number) =>
  anObject('MachineSet', name, { spec: { template: { spec: { version } } }, status: { replicas } });
const aDeployment = (counts: object = {}) =>
  anObject('MachineDeployment', 'md', {
    status: { replicas: 2, upToDateReplicas: 2, availableReplicas: 2, ...counts },
  });
const replaced = [aMachine('m1', 'new'), aMachine('m2', 'new')];

test.each([
  { reason: 'the old set is gone', objects: [aDeployment(), ...replaced, aSet('s2', 'new', 2)], ends: true },
  {
    reason: 'the old set is empty',
    objects: [aDeployment(), ...replaced, aSet('s1', 'old', 0), aSet('s2', 'new', 2)],
    ends: true,
  },
  {
    reason: 'the old set still counts a Machine',
    objects: [aDeployment(), ...replaced, aSet('s1', 'old', 1)],
    ends: false,
  },
  { reason: 'an old Machine exists', objects: [aDeployment(), ...replaced, aMachine('m0', 'old')], ends: false },
  {
    reason: 'a Machine has no Node',
    objects: [aDeployment(), aMachine('m1', 'new'), aMachine('m2', 'new', 'Provisioned')],
    ends: false,
  },
  { reason: 'a Machine is missing', objects: [aDeployment(), aMachine('m1', 'new')], ends: false },
  {
    reason: 'a Machine is not counted as available',
    objects: [aDeployment({ availableReplicas: 1 }), ...replaced],
    ends: false,
  },
  { reason: 'the MachineDeployment is unknown', objects: replaced, ends: false },
])('a rollout has ended: $ends, $reason', ({ objects, ends }) => {
  const byName = new Map(objects.map(object => [`${object.kind}/${object.metadata.name}`, object]));
  expect(isRolledOut(byName, 'new', 2)).toBe(ends);
});
