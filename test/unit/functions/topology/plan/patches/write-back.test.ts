import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Desired } from '../../../../../../functions/topology/plan/desired/desired-topology.ts';
import { writeBack } from '../../../../../../functions/topology/plan/patches/write-back.ts';
import { at, type DesiredParts, found } from '../desired/desired-input.ts';
import { applied, started } from './patch-run.ts';

/** Returns the desired objects after this merge patch of one template. */
function patched(uid: string, patch: JsonObject, options: DesiredParts = {}): Desired {
  const { problem, run } = applied(uid, [patch], options);
  const desired = run.finish();
  if (problem !== undefined || !desired.ok) {
    throw new Error(problem ?? JSON.stringify(desired));
  }
  return desired.value;
}

const inTemplate = (spec: JsonObject) => ({ spec: { template: { spec } } });

describe('objects made from a template', () => {
  it.each([
    ['infrastructureCluster', (desired: Desired) => desired.infrastructureCluster],
    ['controlPlane', (desired: Desired) => desired.controlPlane.object],
    ['machinePool/mp1/bootstrap', (desired: Desired) => found(desired.machinePools.get('mp1')).bootstrapObject],
    [
      'machinePool/mp1/infrastructure',
      (desired: Desired) => found(desired.machinePools.get('mp1')).infrastructureObject,
    ],
  ] as const)('%s: take its inner spec, labels and annotations', (uid, of) => {
    const metadata = { labels: { l: '1' }, annotations: { a: '2' } };
    const desired = of(patched(uid, { metadata, spec: { more: 1, template: { metadata, spec: { foo: 3 } } } }));
    const before = of(started().desired);
    expect(desired).toEqual({
      ...before,
      metadata: {
        ...before.metadata,
        labels: { ...before.metadata.labels, l: '1' },
        annotations: { ...before.metadata.annotations, a: '2' },
      },
      spec: { ...Object(before['spec']), foo: 3 },
    });
  });
});

describe('templates made from a template', () => {
  it.each([
    ['controlPlaneMachines', (desired: Desired) => found(desired.controlPlane.machineTemplate)],
    [
      'machineDeployment/md1/bootstrap',
      (desired: Desired) => found(desired.machineDeployments.get('md1')).bootstrapTemplate,
    ],
    [
      'machineDeployment/md1/infrastructure',
      (desired: Desired) => found(desired.machineDeployments.get('md1')).infrastructureTemplate,
    ],
  ] as const)('%s: take five fields of it and no other', (uid, of) => {
    const metadata = { labels: { l: '1' }, annotations: { a: '2' } };
    const desired = of(
      patched(uid, { metadata, spec: { more: 1, template: { metadata, spec: { foo: 3 }, more: 1 } } }),
    );
    const before = of(started().desired);
    expect(desired).toEqual({
      ...before,
      metadata: {
        ...before.metadata,
        labels: { ...before.metadata.labels, l: '1' },
        annotations: { ...before.metadata.annotations, a: '2' },
      },
      spec: { template: { metadata, spec: { ...Object(at(before, 'spec.template.spec')), foo: 3 } } },
    });
  });
});

describe('what the topology decides', () => {
  const timeouts = { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 2, nodeDeletionTimeoutSeconds: 3 };
  const controlPlane = {
    replicas: 3,
    rollout: { after: '2026-01-01T00:00:00Z' },
    deletion: timeouts,
    taints: [{ key: 'k' }],
    readinessGates: [{ conditionType: 't' }],
    metadata: { labels: { own: 'label' } },
  };
  const foreign = {
    version: 'v0.0.0',
    replicas: 99,
    rollout: { after: 'never' },
    machineTemplate: {
      metadata: { labels: { foreign: 'yes' } },
      infrastructureRef: { name: 'foreign' },
      readinessGates: [],
      taints: [],
      nodeDrainTimeout: '9s',
      nodeVolumeDetachTimeout: '9s',
      nodeDeletionTimeout: '9s',
      spec: {
        infrastructureRef: { name: 'foreign' },
        readinessGates: [],
        taints: [],
        deletion: { nodeDrainTimeoutSeconds: 9, nodeVolumeDetachTimeoutSeconds: 9, nodeDeletionTimeoutSeconds: 9 },
      },
    },
  };

  it.each(['v1beta2', 'v1beta1'] as const)(
    'stays in a control plane of contract %s, and no patch changes it',
    contract => {
      const options = { topology: { controlPlane }, contract };
      const before = started(options).desired.controlPlane.object;
      const { problem, run } = applied(
        'controlPlane',
        [JSON.stringify([{ op: 'replace', path: '/spec/template/spec', value: foreign }])],
        options,
      );
      const after = run.finish();
      expect(problem).toBeUndefined();
      const spec = at(after.ok ? after.value : undefined, 'controlPlane.object.spec');
      const { kubeadmConfigSpec: _, ...decided } = Object(before['spec']);
      expect(spec).toMatchObject(decided);
      expect(spec).not.toHaveProperty('kubeadmConfigSpec');
      const untouched = contract === 'v1beta2' ? 'machineTemplate.nodeDrainTimeout' : 'machineTemplate.spec.deletion';
      expect(at(spec, untouched)).toEqual(at(foreign, untouched));
    },
  );

  it('is put back where a patch made something else of what holds it', () => {
    const after = patched('controlPlane', inTemplate({ machineTemplate: 'text', rollout: ['list'] }), {
      topology: { controlPlane },
    });
    expect(at(after, 'controlPlane.object.spec.rollout')).toEqual({ after: '2026-01-01T00:00:00Z' });
    expect(at(after, 'controlPlane.object.spec.machineTemplate.spec.infrastructureRef')).toMatchObject({
      name: 'c1-ddddd',
    });
  });

  it('can be set by a patch if the topology does not set it', () => {
    const after = patched('controlPlane', inTemplate(foreign), { topology: { controlPlane: {} } });
    expect(at(after, 'controlPlane.object.spec')).toMatchObject({ replicas: 99, rollout: { after: 'never' } });
  });

  it('stays in labels and annotations of everything', () => {
    const labels = {
      'cluster.x-k8s.io/cluster-name': 'x',
      'topology.cluster.x-k8s.io/owned': 'x',
      'topology.cluster.x-k8s.io/deployment-name': 'x',
      'topology.cluster.x-k8s.io/pool-name': 'x',
    };
    const annotations = {
      'cluster.x-k8s.io/cloned-from-name': 'x',
      'cluster.x-k8s.io/cloned-from-groupkind': 'x',
    };
    const after = patched('machineDeployment/md1/bootstrap', { metadata: { labels, annotations } });
    const before = found(started().desired.machineDeployments.get('md1')).bootstrapTemplate.metadata;
    const { metadata } = found(after.machineDeployments.get('md1')).bootstrapTemplate;
    // The topology sets no pool name on objects of a MachineDeployment.
    expect(metadata.labels).toEqual({ ...before.labels, 'topology.cluster.x-k8s.io/pool-name': 'x' });
    expect(metadata.annotations).toEqual(before.annotations);
  });

  it('remains when a patch sets the labels to null', () => {
    const document = JSON.stringify([{ op: 'add', path: '/spec/template/metadata/labels', value: null }]);
    const { run } = applied('infrastructureCluster', [document]);
    const after = run.finish();
    expect(at(after.ok ? after.value : undefined, 'infrastructureCluster.metadata.labels')).toEqual({
      'cluster.x-k8s.io/cluster-name': 'c1',
      'topology.cluster.x-k8s.io/owned': '',
    });
  });
});

describe('what cannot be copied', () => {
  it.each([
    {
      path: '/spec/template/spec',
      problem: 'spec of GenericInfrastructureClusterTemplate of Cluster ns1/c1: it is not an object',
    },
    {
      path: '/spec/template',
      problem: 'spec of GenericInfrastructureClusterTemplate of Cluster ns1/c1: .spec.template is not an object',
    },
    {
      path: '/spec',
      problem: 'spec of GenericInfrastructureClusterTemplate of Cluster ns1/c1: .spec is not an object',
    },
  ])('ends with an error: $path', ({ path, problem }) => {
    const { run } = applied('infrastructureCluster', [JSON.stringify([{ op: 'replace', path, value: ['x'] }])]);
    expect(run.finish()).toEqual({ ok: false, error: `failed to copy .spec.template.${problem}` });
  });
});

it('does not change objects without an item', () => {
  const { desired } = started();
  expect(writeBack(desired, [])).toEqual({ ok: true, value: desired });
});

it('creates no machine template for a control plane without machines', () => {
  const { run } = started({ ofClass: { controlPlane: { machineInfrastructure: {} } } });
  const after = run.finish();
  expect(after.ok && Object.keys(after.value.controlPlane)).toEqual(['object']);
});
