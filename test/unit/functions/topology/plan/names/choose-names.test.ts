import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { answerQuestions } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { readAnswers } from '../../../../../../functions/topology/observe/planning.ts';
import type { Current } from '../../../../../../functions/topology/plan/current/current-topology.ts';
import { chooseNames } from '../../../../../../functions/topology/plan/names/choose-names.ts';
import {
  chooseRotatedName,
  type NameRotation,
} from '../../../../../../functions/topology/plan/names/name-candidates.ts';
import type { TopologyNames } from '../../../../../../functions/topology/plan/names/topology-names.ts';
import { fakeReads, type ReadFault } from '../../../../../support/fake-reads.ts';
import { type Built, ObjectBuilder } from '../../../../../support/object-builder.ts';
import { aCurrent, nothingYet, settledNames, settledObjects } from '../../../../../support/settled-topology.ts';
import {
  aBlueprint,
  aSettledTopologyCluster,
  aTopologyClass,
  aTopologyCluster,
  type ClassChange,
  settled,
} from '../../../../../support/topology-objects.ts';

interface World {
  readonly topology?: JsonObject;
  readonly uid?: string;
  readonly ofClass?: ClassChange;
  readonly current?: Current;
  readonly stored?: readonly Built<Unstructured>[];
  readonly faults?: readonly ReadFault[];
}

async function choose({ topology, uid = 'uid1', ofClass, current = nothingYet, stored = [], faults = [] }: World = {}) {
  const cluster = aTopologyCluster(topology).withUid(uid);
  const ask = fakeReads(stored, faults);
  const blueprint = aBlueprint({ cluster, clusterClass: aTopologyClass(ofClass) });
  return { names: await answerQuestions(chooseNames(blueprint, current), readAnswers(ask)), ask };
}

async function chosen(world?: World): Promise<TopologyNames> {
  const { names } = await choose(world);
  if (!names.ok) {
    throw new Error(names.error);
  }
  return names.value;
}

async function problem(world: World): Promise<string> {
  const { names } = await choose(world);
  return names.ok ? 'none' : names.error;
}

/** Returns all names as texts, by purpose. */
function textsOf({ machineDeployments, machinePools, ...one }: TopologyNames): Readonly<Record<string, string>> {
  const workers = [...machineDeployments, ...machinePools].flatMap(([topologyName, names]) =>
    Object.entries(names).map(([role, { name }]) => [`${topologyName} ${role}`, name]),
  );
  return Object.fromEntries([...Object.entries(one).map(([role, { name }]) => [role, name]), ...workers]);
}

const random = '[bcdfghjklmnpqrstvwxz2456789]{5}';

describe('names of a new topology', () => {
  it('have the pattern and the alphabet of upstream, and all of them differ', async () => {
    const names = textsOf(await chosen());
    const pattern = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}-${random}$`));
    expect(names).toEqual({
      infrastructureCluster: pattern('c1'),
      controlPlane: pattern('c1'),
      controlPlaneMachineTemplate: pattern('c1'),
      'md1 object': pattern('c1-md1'),
      'md1 bootstrap': pattern('c1-md1'),
      'md1 infrastructure': pattern('c1-md1'),
      'mp1 object': pattern('c1-mp1'),
      'mp1 bootstrap': pattern('c1-mp1'),
      'mp1 infrastructure': pattern('c1-mp1'),
    });
    expect(new Set(Object.values(names)).size).toBe(9);
  });

  it('are the same in every pass, and others for another Cluster of that name', async () => {
    const names = textsOf(await chosen());
    expect(textsOf(await chosen())).toEqual(names);
    const others = Object.values(textsOf(await chosen({ uid: 'uid2' })));
    expect(Object.values(names).filter(name => others.includes(name))).toEqual([]);
  });

  it('are looked up in one round trip, as the kinds that will have them', async () => {
    const { ask } = await choose();
    expect(ask.trips).toHaveLength(1);
    expect(ask.trips[0]?.map(line => line.replace(/-\w{5}$/, '')).sort()).toEqual([
      'get GenericInfrastructureCluster ns1/c1',
      'get GenericInfrastructureMachinePool ns1/c1-mp1',
      'get GenericInfrastructureMachineTemplate ns1/c1',
      'get GenericInfrastructureMachineTemplate ns1/c1-md1',
      'get KubeadmConfig ns1/c1-mp1',
      'get KubeadmConfigTemplate ns1/c1-md1',
      'get KubeadmControlPlane ns1/c1',
      'get MachineDeployment ns1/c1-md1',
      'get MachinePool ns1/c1-mp1',
    ]);
  });

  it('follow the naming templates of the class', async () => {
    const naming = (template: string) => ({ naming: { template } });
    const names = textsOf(
      await chosen({
        ofClass: {
          infrastructure: naming('infra-{{ .cluster.name }}'),
          controlPlane: naming('{{ .cluster.name }}-cp'),
          machineDeployment: naming('{{ .machineDeployment.topologyName }}-md'),
          machinePool: naming('{{ .machinePool.topologyName }}-mp'),
        },
      }),
    );
    expect(names).toMatchObject({
      infrastructureCluster: 'infra-c1',
      controlPlane: 'c1-cp',
      'md1 object': 'md1-md',
      'mp1 object': 'mp1-mp',
    });
  });

  it('have none for a machine template that the class does not have', async () => {
    const names = await chosen({ ofClass: { controlPlane: { machineInfrastructure: { templateRef: {} } } } });
    expect(names).not.toHaveProperty('controlPlaneMachineTemplate');
  });
});

describe('names of existing objects', () => {
  it('are kept, and nothing is looked up', async () => {
    const { names, ask } = await choose({ current: aCurrent() });
    expect(names).toEqual({ ok: true, value: settledNames });
    expect(ask.trips).toEqual([]);
  });

  it('stay although naming templates have changed', async () => {
    const ofClass = { controlPlane: { naming: { template: 'other' } } };
    expect((await chosen({ current: aCurrent(), ofClass })).controlPlane.name).toBe(settled.controlPlane);
  });

  it('stay for templates that a MachineDeployment in deletion still names', async () => {
    const current = { ...aCurrent(), machineDeployments: new Map([['md1', { object: settledObjects().md1.build() }]]) };
    const { names } = await choose({ current });
    expect(names).toEqual({ ok: true, value: settledNames });
  });

  it('are chosen again for the missing part', async () => {
    const { controlPlane: _, ...rest } = aCurrent();
    const names = textsOf(await chosen({ current: { ...rest, controlPlane: {} } }));
    expect(names).toMatchObject({
      infrastructureCluster: settled.infrastructureCluster,
      'md1 object': settled.md1.object,
      'md1 bootstrap': settled.md1.bootstrap,
    });
    expect(names['controlPlane']).not.toBe(settled.controlPlane);
  });
});

/** Returns the same object with the name that would be chosen for it. */
async function inPlace(role: 'controlPlane' | 'controlPlaneMachineTemplate', object: ObjectBuilder) {
  const { [role]: chosenName } = await chosen();
  return object.named(chosenName?.name ?? '');
}

const cluster = aTopologyCluster().withUid('uid1');
const theControlPlane = settledObjects().controlPlane;
const unowned = new ObjectBuilder({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  name: '',
})
  .in('ns1')
  .labelled({ 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' });
const shim = new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 'c1-shim' }).in('ns1').withUid('shim');

describe('a name that is taken', () => {
  it('is used with the existing object if this Cluster owns it', async () => {
    const template = await inPlace(
      'controlPlaneMachineTemplate',
      new ObjectBuilder({ ...settledObjects().controlPlaneMachineTemplate.build(), name: '' })
        .in('ns1')
        .labelled({ 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' })
        .ownedBy(cluster),
    );
    const existing = template.build();
    const { controlPlaneMachineTemplate } = await chosen({ stored: [template] });
    expect(controlPlaneMachineTemplate).toEqual({ name: existing.metadata.name, existing });
  });

  it('is used if the shim of this Cluster owns the object with this name', async () => {
    const existing = await inPlace('controlPlane', unowned.ownedBy(shim));
    const { names, ask } = await choose({ stored: [existing, shim] });
    expect(names.ok && names.value.controlPlane.existing).toEqual(existing.build());
    expect(ask.trips.flat().filter(line => line.includes('Secret'))).toEqual(['metadata Secret ns1/c1-shim']);
  });

  const foreign: readonly { readonly object: ObjectBuilder; readonly reason: string }[] = [
    { object: unowned, reason: 'the object that has it has no owner' },
    { object: unowned.ownedBy(aSettledTopologyCluster().withUid('older')), reason: 'an older Cluster owns it' },
    { object: unowned.ownedBy(shim), reason: 'a shim that is gone owns it' },
    { object: unowned.ownedBy(cluster).deleting(), reason: 'it is being deleted' },
    { object: theControlPlane, reason: 'another Cluster of that name owns it' },
  ];
  it.each(foreign)('gives way to the next where $reason', async ({ object }) => {
    const existing = await inPlace('controlPlane', object);
    const { controlPlane } = await chosen({ stored: [existing] });
    expect(controlPlane).toEqual({ name: expect.stringMatching(new RegExp(`^c1-${random}$`)) });
    expect(controlPlane.name).not.toBe(existing.build().metadata.name);
  });

  it('is given up after five candidates', async () => {
    const stored: ObjectBuilder[] = [];
    for (let n = 0; n < 5; n += 1) {
      stored.push(unowned.named((await chosen({ stored })).controlPlane.name));
    }
    const names = stored.map(each => `ns1/${each.build().metadata.name}`).join(', ');
    expect(new Set(names.split(', ')).size).toBe(5);
    expect(await problem({ stored })).toBe(
      'failed to compute ControlPlane: failed to generate the ControlPlane object from the KubeadmControlPlaneTemplate: ' +
        `failed to find a name for KubeadmControlPlane: taken by what is being deleted or does not belong to Cluster ns1/c1: ${names}; delete or rename what is in the way`,
    );
  });

  it('is given up at once where nothing in it is random', async () => {
    const ofClass = { controlPlane: { naming: { template: '{{ .cluster.name }}-cp' } } };
    const { names, ask } = await choose({ ofClass, stored: [unowned.named('c1-cp')] });
    expect(names).toMatchObject({ error: expect.stringContaining('Cluster ns1/c1: ns1/c1-cp; delete or rename') });
    expect(ask.trips.flat().filter(line => line === 'get KubeadmControlPlane ns1/c1-cp')).toHaveLength(1);
  });

  it('is made unique by the naming template, or refused', async () => {
    const machineDeployments = ['a', 'b'].map(name => ({ class: 'worker', name }));
    const ofClass = { machineDeployment: { naming: { template: '{{ .cluster.name }}-md' } } };
    expect(await problem({ topology: { workers: { machineDeployments } }, ofClass })).toBe(
      'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "b": topology "a" has the name c1-md already; change the naming template of the class so that the names differ',
    );
  });
});

describe('names that cannot be chosen', () => {
  const naming = { naming: { template: '{{ .nope }}' } };
  const rendering =
    'rendering template: template: template name generator:1:3: executing "template name generator" at <.nope>: map has no entry for key "nope"';
  const problems: readonly { readonly ofClass: ClassChange; readonly error: string }[] = [
    {
      ofClass: { infrastructure: naming },
      error: `failed to compute InfrastructureCluster: failed to generate the InfrastructureCluster object from the GenericInfrastructureClusterTemplate: failed to generate name for GenericInfrastructureCluster: ${rendering}`,
    },
    {
      ofClass: { controlPlane: naming },
      error: `failed to compute ControlPlane: failed to generate the ControlPlane object from the KubeadmControlPlaneTemplate: failed to generate name for KubeadmControlPlane: ${rendering}`,
    },
    {
      ofClass: { machineDeployment: naming },
      error: `failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "md1": failed to generate name for MachineDeployment: ${rendering}`,
    },
    {
      ofClass: { machinePool: naming },
      error: `failed to compute MachinePools: failed to compute MachinePool for topology "mp1": failed to generate name for MachinePool: ${rendering}`,
    },
  ];
  it.each(problems)('fail the pass, whether the object exists or not: $error', async ({ ofClass, error }) => {
    expect(await problem({ ofClass })).toBe(error);
    expect(await problem({ ofClass, current: aCurrent() })).toBe(error);
  });

  it.each([
    { workers: { machineDeployments: [{ class: 'gone', name: 'md1' }] }, kind: 'MachineDeployment' },
    { workers: { machinePools: [{ class: 'gone', name: 'mp1' }] }, kind: 'MachinePool' },
  ])('fail for a $kind class that does not exist', async ({ workers, kind }) => {
    expect(await problem({ topology: { workers } })).toContain(
      `: ${kind} class gone not found in ClusterClass ns1/class1`,
    );
  });

  const lookedUp = [
    { role: 'infrastructureCluster', kind: 'GenericInfrastructureCluster' },
    { role: 'controlPlaneMachineTemplate', kind: 'GenericInfrastructureMachineTemplate' },
    { role: 'controlPlane', kind: 'KubeadmControlPlane' },
    { role: 'md1 infrastructure', kind: 'GenericInfrastructureMachineTemplate' },
    { role: 'md1 bootstrap', kind: 'KubeadmConfigTemplate' },
    { role: 'md1 object', kind: 'MachineDeployment' },
    { role: 'mp1 object', kind: 'MachinePool' },
  ];
  it.each(lookedUp)('fail where the look-up for $role fails', async ({ role, kind }) => {
    const { [role]: name } = textsOf(await chosen());
    const faults = [{ at: `get ${kind} ns1/${name}`, message: 'no quorum' }];
    expect(await problem({ faults })).toMatch(new RegExp(`: failed to look up ${kind} ns1/${name}: no quorum$`));
  });

  it('fail where the shim cannot be read', async () => {
    const existing = await inPlace('controlPlane', unowned.ownedBy(shim));
    const faults = [{ at: 'metadata Secret ns1/c1-shim', message: 'no quorum' }];
    expect(await problem({ stored: [existing], faults })).toMatch(
      /: failed to read the cluster shim object: no quorum$/,
    );
  });
});

describe('the name of a template that is rotated', () => {
  const intent = { ...settledObjects().md1Bootstrap.intent(), spec: { template: { spec: { commands: ['new'] } } } };
  const rotation: NameRotation = {
    ...{ role: 'MachineDeploymentBootstrapTemplate', topologyName: 'md1', intent },
    cluster: aBlueprint({ cluster }).cluster,
  };

  const rotate = (of: NameRotation, ask: ReturnType<typeof fakeReads>) =>
    answerQuestions(chooseRotatedName(of), readAnswers(ask));

  async function rotated(
    change: Partial<NameRotation> = {},
    stored: readonly Built<Unstructured>[] = [],
  ): Promise<string> {
    const name = await rotate({ ...rotation, ...change }, fakeReads(stored));
    return name.ok ? name.value.name : name.error;
  }

  it('has the prefix of its role, and is the same for the same change', async () => {
    const name = await rotated();
    expect(name).toMatch(new RegExp(`^c1-md1-${random}$`));
    const { kind, apiVersion, metadata, ...rest } = intent;
    const reordered = { ...rest, metadata: { ...metadata, uid: 'current' }, apiVersion, kind };
    expect(await rotated({ intent: reordered })).toBe(name);
    expect(await rotated({ role: 'ControlPlaneMachineTemplate', topologyName: '' })).toMatch(
      new RegExp(`^c1-${random}$`),
    );
  });

  it('differs for other content, and for another previous name', async () => {
    const other = { ...intent, spec: { template: { spec: { commands: ['newer'] } } } };
    const later = { ...intent, metadata: { ...intent.metadata, name: await rotated() } };
    const names = [await rotated(), await rotated({ intent: other }), await rotated({ intent: later })];
    expect(new Set(names).size).toBe(3);
  });

  it('gives A, B and A again three names', async () => {
    const to = (name: string, command: string) => ({
      ...intent,
      metadata: { ...intent.metadata, name },
      spec: { template: { spec: { commands: [command] } } },
    });
    const first = await rotated({ intent: to('c1-md1-start', 'A') });
    const second = await rotated({ intent: to(first, 'B') });
    const third = await rotated({ intent: to(second, 'A') });
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('is returned with the template that an interrupted pass created with it', async () => {
    const made = settledObjects().md1Bootstrap.named(await rotated());
    const ours = new ObjectBuilder({ ...made.build(), name: made.build().metadata.name })
      .in('ns1')
      .labelled(made.build().metadata.labels ?? {})
      .ownedBy(cluster);
    expect(await rotate(rotation, fakeReads([ours]))).toEqual({
      ok: true,
      value: { name: ours.build().metadata.name, existing: ours.build() },
    });
  });

  it('reports why there is none', async () => {
    const { kind } = intent;
    const ask = fakeReads([], [{ at: `get ${kind} ns1/${await rotated()}`, message: 'no quorum' }]);
    expect(await rotate(rotation, ask)).toMatchObject({
      error: expect.stringMatching(/^failed to look up KubeadmConfigTemplate ns1\/c1-md1-\w{5}: no quorum$/),
    });
  });
});
