// Admission of Machines and the objects that make them, by the embedded API server of a local run.
import { beforeEach, describe, expect, it } from 'vitest';
import { createAdmission, localAdmissionGates } from '../../../local/admission.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { installCrd } from '../../support/memory-api.ts';
import { at, aWorld, endpointOf, namespace, refusalOf } from '../packages/apiserver/core/core-with-widgets.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachine', name: 'i' };
const machineSpec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, infrastructureRef };

let core: ReturnType<typeof aWorld>['core'];

const endpoint = (kind: string) => endpointOf(core, apiVersion, kind);
const create = (kind: string, spec: object, metadata: object = {}) =>
  core.create(endpoint(kind), namespace, { apiVersion, kind, metadata: { name: 'x', namespace, ...metadata }, spec });

beforeEach(() => {
  ({ core } = aWorld(createAdmission(localAdmissionGates)));
  for (const crd of coreCrds) {
    installCrd(core, crd);
  }
});

describe('the embedded API server', () => {
  it('sets defaults before it validates, so a selector may be left out', () => {
    const stored = create('MachineDeployment', { clusterName: 'c1', template: { spec: machineSpec } });
    const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/deployment-name': 'x' };
    expect(stored).toMatchObject({
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels } } },
    });
  });

  it('sets them at updates, too', () => {
    create('Machine', machineSpec);
    const body = { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': null } }, spec: { version: '1.36.0' } };
    const patched = core.patch(at(endpoint('Machine'), 'x'), { type: 'merge', body });
    expect(patched).toMatchObject({
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      spec: { version: 'v1.36.0', deletion: { nodeDeletionTimeoutSeconds: 10 } },
    });
  });

  it('refuses what the webhook of the kind refuses, with its causes', () => {
    const message =
      'Required value: expected either spec.bootstrap.dataSecretName or spec.bootstrap.configRef to be populated';
    expect(refusalOf(() => create('Machine', { ...machineSpec, bootstrap: {} }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `admission webhook "validation.machine.cluster.x-k8s.io" denied the request: Machine.cluster.x-k8s.io "x" is invalid: spec.bootstrap: ${message}`,
      details: { causes: [{ reason: 'FieldValueRequired', field: 'spec.bootstrap', message }] },
    });
  });

  it('refuses by the defaults, with their webhook', () => {
    const size = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
    const annotations = { [`${size}-min-size`]: 'a', [`${size}-max-size`]: '1' };
    const spec = { clusterName: 'c1', selector: {}, template: { spec: machineSpec } };
    expect(refusalOf(() => create('MachineSet', spec, { annotations }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringMatching(
        /^admission webhook "default\.machineset\.cluster\.x-k8s\.io" denied the request: failed to caculate MachineSet replicas value: /,
      ),
    });
  });

  it('refuses by the schema before the webhook', () => {
    expect(refusalOf(() => create('Machine', { bootstrap: {} })).message).not.toContain('webhook');
  });

  it('lets finalizers of an object go that is no longer valid', () => {
    create('Machine', machineSpec, { finalizers: ['a/b'] });
    const machine = at(endpoint('Machine'), 'x');
    core.delete(machine);
    const moved = { metadata: { finalizers: [] }, spec: { clusterName: 'c2' } };
    core.patch(machine, { type: 'merge', body: moved });
    expect(() => core.get(machine)).toThrow('not found');
  });
});

describe('without its gate, a MachinePool', () => {
  it('is refused without causes', () => {
    ({ core } = aWorld(createAdmission({ ...localAdmissionGates, machinePool: false })));
    for (const crd of coreCrds) {
      installCrd(core, crd);
    }
    expect(
      refusalOf(() => create('MachinePool', { clusterName: 'c1', template: { spec: machineSpec } })),
    ).toMatchObject({
      code: 403,
      message:
        'admission webhook "validation.machinepool.cluster.x-k8s.io" denied the request: spec: Forbidden: can be set only if the MachinePool feature flag is enabled',
    });
  });
});
