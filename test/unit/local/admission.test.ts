import { describe, expect, it } from 'vitest';
import { createAdmission, localAdmissionGates } from '../../../local/admission.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { installCrd } from '../../support/memory-api.ts';
import { at, aWidget, aWorld, endpointOf, namespace, refusalOf } from '../packages/apiserver/core/core-with-widgets.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const webhook = 'admission webhook "validation.clusterclass.cluster.x-k8s.io" denied the request';

const templateOf = (kind: string): object => ({
  templateRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind, name: 't' },
});

function aClass(name: string, spec: object = {}): object {
  return {
    apiVersion,
    kind: 'ClusterClass',
    metadata: { name, namespace },
    spec: {
      infrastructure: templateOf('AClusterTemplate'),
      controlPlane: templateOf('AControlPlaneTemplate'),
      ...spec,
    },
  };
}

function aServer(gates = localAdmissionGates) {
  const world = aWorld(createAdmission(gates));
  for (const crd of coreCrds) {
    installCrd(world.core, crd);
  }
  return { ...world, classes: endpointOf(world.core, apiVersion, 'ClusterClass') };
}

describe('the embedded API server of a local run', () => {
  it('stores a ClusterClass that is in order', () => {
    const { core, classes } = aServer();
    expect(core.create(classes, namespace, aClass('cc')).metadata.name).toBe('cc');
  });

  it('admits changes of immutable fields only in a dry run of the topology reconciler', () => {
    const { core, classes } = aServer();
    core.create(classes, namespace, aClass('cc'));
    const wrong = { infrastructure: templateOf('ACluster') };
    const marked = { name: 'cc', namespace, annotations: { 'topology.cluster.x-k8s.io/dry-run': '' } };
    const apply = (dryRun: boolean, metadata: object) =>
      core
        .writing({ manager: 'capi-topology', dryRun })
        .apply(at(classes, 'cc'), { body: { ...aClass('cc', wrong), metadata }, force: true });
    expect(apply(true, marked).object.spec).toMatchObject(wrong);
    expect(refusalOf(() => apply(false, marked)).code).toBe(422);
    expect(refusalOf(() => apply(true, { name: 'cc', namespace })).code).toBe(422);
  });

  it('refuses one that is not, with the message of the webhook', () => {
    const { core, classes } = aServer();
    const status = refusalOf(() =>
      core.create(classes, namespace, aClass('cc', { infrastructure: templateOf('ACluster') })),
    );
    const why = 'Invalid value: "ACluster": template kind must be of form "<name>Template"';
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `${webhook}: ClusterClass.cluster.x-k8s.io "cc" is invalid: spec.infrastructure.ref.kind: ${why}`,
      details: {
        group: 'cluster.x-k8s.io',
        kind: 'ClusterClass',
        name: 'cc',
        causes: [{ reason: 'FieldValueInvalid', field: 'spec.infrastructure.ref.kind', message: why }],
      },
    });
    expect(() => core.get(at(classes, 'cc'))).toThrow('not found');
  });

  it('refuses it as a dry run too', () => {
    const { core, classes } = aServer();
    const create = () =>
      core.writing({ dryRun: true }).create(classes, namespace, aClass('cc', { controlPlane: templateOf('A') }));
    expect(refusalOf(create).code).toBe(422);
  });

  it('refuses changes of kinds, but never a status', () => {
    const { core, classes } = aServer();
    core.create(classes, namespace, aClass('cc'));
    const body = { spec: { infrastructure: templateOf('BClusterTemplate') } };
    const status = refusalOf(() => core.patch(at(classes, 'cc'), { type: 'merge', body }));
    expect(status.message).toContain('spec.infrastructure.templateRef.kind: Forbidden: kind cannot be changed');
    const written = core.patch(
      at(classes, 'cc'),
      { type: 'merge', body: { status: { observedGeneration: 1 } } },
      'status',
    );
    expect(written.status).toEqual({ observedGeneration: 1 });
  });

  it('keeps a ClusterClass that Clusters use', () => {
    const { core, classes } = aServer();
    core.create(classes, namespace, aClass('cc'));
    const clusters = endpointOf(core, apiVersion, 'Cluster');
    const topology = { classRef: { name: 'cc' }, version: 'v1.36.0' };
    core.create(clusters, namespace, {
      apiVersion,
      kind: 'Cluster',
      metadata: { name: 'c', namespace },
      spec: { topology },
    });
    expect(refusalOf(() => core.delete(at(classes, 'cc')))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `${webhook}: ClusterClass.cluster.x-k8s.io "cc" is forbidden: ClusterClass cannot be deleted because it is used by Cluster(s): ns/c`,
    });
    core.delete(at(clusters, 'c'));
    expect(core.delete(at(classes, 'cc')).gone).toBe(true);
  });

  it('ignores other kinds', () => {
    const { core, widgets } = aServer({ ...localAdmissionGates, clusterTopology: false });
    expect(core.create(widgets, namespace, aWidget('w')).metadata.name).toBe('w');
  });
});
