import { describe, expect, it } from 'vitest';
import { type ChangesInput, planChanges } from '../../../../../functions/topology/read/changes.ts';
import type { FailureReason } from '../../../../../shared/api/answer.ts';
import type { Intent, Unstructured } from '../../../../../shared/api/object.ts';
import { setAt } from '../../../../../shared/contract/path.ts';
import { eventsOf } from '../../../../../shared/kernel/events.ts';
import { valueAt } from '../../../../../shared/kernel/merge-diff.ts';
import { failureOf, toActions, toClusterRefs } from '../../../../../shared/topology/changes/changes.ts';
import type { Current } from '../../../../../shared/topology/model/current.ts';
import type { Desired } from '../../../../../shared/topology/model/desired.ts';
import { replacesAnnotation } from '../../../../../shared/topology/model/keys.ts';
import type { Versions } from '../../../../../shared/topology/model/versions.ts';
import type { ReadFault } from '../../../../support/fake-reads.ts';
import { fieldsOf, ObjectBuilder } from '../../../../support/object-builder.ts';
import { nothingYet, settledNames, settledVersions } from '../../../../support/settled-topology.ts';
import { aBlueprint, aTopologyClass, settled } from '../../../../support/topology.ts';
import {
  applied,
  appliedBy,
  aTryingServer,
  desiredFor,
  imagineWrites,
  objectsOf,
  type Refused,
  settledAs,
} from '../../../../support/topology-changes.ts';

const clusterPatch = {
  id: 'patch Cluster',
  onError: 'stop',
  do: 'patch',
  ref: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns1', name: 'c1' },
  body: {},
} as const;

const checked = { healthCheck: { checks: { nodeStartupTimeoutSeconds: 600 } } };
const blueprint = aBlueprint({
  clusterClass: aTopologyClass({ controlPlane: checked, machineDeployment: checked }),
});
const desired = desiredFor(blueprint);
const current = settledAs(desired);

interface Played {
  readonly input?: Partial<ChangesInput>;
  readonly refusals?: readonly Refused[];
  readonly faults?: readonly ReadFault[];
  readonly failing?: Readonly<Record<string, FailureReason>>;
  /** What is there besides. */
  readonly others?: readonly Unstructured[];
}

async function play({ input = {}, refusals = [], faults = [], failing = {}, others = [] }: Played = {}) {
  const whole: ChangesInput = {
    blueprint,
    current,
    desired,
    names: settledNames,
    versions: settledVersions(),
    ...input,
  };
  const server = aTryingServer([...objectsOf(whole.current), ...others], refusals, faults);
  const changes = await planChanges(whole, server.ask);
  const actions = toActions(changes, whole.current, clusterPatch);
  const { lines, outcomes } = imagineWrites(actions, failing);
  const told = eventsOf(actions, outcomes);
  return {
    actions,
    lines: lines.filter(line => line !== clusterPatch.id),
    patchesCluster: lines.includes(clusterPatch.id),
    dryRuns: server.dryRuns,
    failure: failureOf(changes, outcomes, clusterPatch),
    events: told.map(({ reason, message }) => `${reason} ${message}`),
    about: told.flatMap(({ about }) => (about === undefined ? [] : [about.metadata.name])),
    refs: toClusterRefs({ ...whole, changes }, outcomes),
  };
}

const infra = `GenericInfrastructureCluster ${settled.infrastructureCluster}`;
const controlPlane = `KubeadmControlPlane ${settled.controlPlane}`;
const cpTemplate = `GenericInfrastructureMachineTemplate ${settled.controlPlaneMachineTemplate}`;
const md = `MachineDeployment ${settled.md1.object}`;
const mdInfra = `GenericInfrastructureMachineTemplate ${settled.md1.infrastructure}`;
const mdBootstrap = `KubeadmConfigTemplate ${settled.md1.bootstrap}`;
const mp = `MachinePool ${settled.mp1.object}`;
const mpInfra = `GenericInfrastructureMachinePool ${settled.mp1.infrastructure}`;
const mpBootstrap = `KubeadmConfig ${settled.mp1.bootstrap}`;
const cpCheck = `MachineHealthCheck ${settled.controlPlane}`;
const mdCheck = `MachineHealthCheck ${settled.md1.object}`;

/** With this at a dotted path. */
function changed<T extends object>(object: T, path: string, value: unknown): T {
  return setAt(object, path, value);
}

const mdOf = (of: Desired) => of.machineDeployments.get('md1') ?? fail();
const mpOf = (of: Desired) => of.machinePools.get('mp1') ?? fail();
const currentMd = (of: Current) => of.machineDeployments.get('md1') ?? fail();

function fail(): never {
  throw new Error('The fixture has md1 and mp1');
}

function withMd(change: Partial<ReturnType<typeof mdOf>>): Desired {
  return { ...desired, machineDeployments: new Map([['md1', { ...mdOf(desired), ...change }]]) };
}

function withCp(change: Partial<Desired['controlPlane']>): Desired {
  return { ...desired, controlPlane: { ...desired.controlPlane, ...change } };
}

function withCurrentMd(change: Partial<ReturnType<typeof currentMd>>): Current {
  return { ...current, machineDeployments: new Map([['md1', { ...currentMd(current), ...change }]]) };
}

const cpMachine = desired.controlPlane.machineTemplate ?? fail();
const bigger = (template: Intent): Intent => changed(template, 'spec.template.spec.size', 'huge');
const annotationsOf = ({ metadata }: Pick<Intent, 'metadata'>) => metadata.annotations ?? {};
const replacing = (template: Intent, name: string): Intent =>
  changed(template, 'metadata.annotations', { ...annotationsOf(template), [replacesAnnotation]: name });
const refOfControlPlane = 'spec.machineTemplate.spec.infrastructureRef.name';

function progress(of: Partial<Versions['machineDeployments']>): Versions {
  const versions = settledVersions();
  return { ...versions, machineDeployments: { ...versions.machineDeployments, ...of } };
}

describe('a settled topology', () => {
  it('38 asks nothing and writes nothing', async () => {
    expect(await play()).toMatchObject({ lines: [], dryRuns: [], failure: undefined, events: [] });
  });

  it('needs no patch of the Cluster', async () => {
    const { ask } = aTryingServer(objectsOf(current));
    const whole = { blueprint, current, desired, names: settledNames, versions: settledVersions() };
    const changes = await planChanges(whole, ask);
    expect(toActions(changes, current, undefined)).toEqual([]);
    expect(failureOf(changes, new Map(), undefined)).toBeUndefined();
  });

  it('leaves the Cluster alone where its own patch says so', async () => {
    const changes = await planChanges(
      { blueprint, current, desired, names: settledNames, versions: settledVersions() },
      aTryingServer(objectsOf(current)).ask,
    );
    const actions = toActions(changes, current, { ...clusterPatch, when: () => false });
    expect(imagineWrites(actions).lines).toEqual([]);
  });

  it('38 asks twice for an object of which it cannot be sure, and writes nothing', async () => {
    const infrastructureTemplate = changed(mdOf(desired).infrastructureTemplate, 'spec.options', { atomic: 'map' });
    const there = withCurrentMd({ infrastructureTemplate: applied(infrastructureTemplate) });
    const { lines, dryRuns } = await play({ input: { desired: withMd({ infrastructureTemplate }), current: there } });
    expect(lines).toEqual([]);
    expect(dryRuns).toEqual([mdInfra, mdInfra]);
  });
});

describe('a new topology', () => {
  const created = [
    'create shim',
    `apply ${infra}`,
    `apply ${cpCheck}`,
    `apply ${cpTemplate}`,
    `apply ${controlPlane}`,
    `apply ${mdInfra}`,
    `apply ${mdBootstrap}`,
    `apply ${md}`,
    `apply ${mdCheck}`,
    `apply ${mpInfra}`,
    `apply ${mpBootstrap}`,
    `apply ${mp}`,
  ];

  it('15 is made in order, each object by one write', async () => {
    const { lines, dryRuns, failure, events, refs, about } = await play({ input: { current: nothingYet } });
    expect(lines).toEqual(created);
    expect(dryRuns).toEqual([]);
    expect(failure).toBeUndefined();
    expect(events).toEqual(
      created.slice(1).map(line => line.replace(/^apply (\S+) (\S+)$/, 'TopologyCreate Created $1 "ns1/$2"')),
    );
    expect(about).toEqual([settled.controlPlane, settled.md1.object]);
    expect(refs).toEqual({
      infrastructureRef: expect.objectContaining({ name: settled.infrastructureCluster }),
      controlPlaneRef: expect.objectContaining({ name: settled.controlPlane }),
    });
  });

  it('16 is owned by the shim alone where the Cluster would start too early', async () => {
    const { actions } = await play({ input: { current: nothingYet } });
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: { uidOf: 'create shim' } };
    for (const object of [infra, controlPlane]) {
      expect(appliedBy(actions, `apply ${object}`).metadata.ownerReferences).toEqual([owner]);
    }
    expect(appliedBy(actions, `apply ${cpTemplate}`).metadata.ownerReferences).toMatchObject([{ kind: 'Cluster' }]);
  });

  it('17 keeps the infrastructure when the control plane cannot be made, and takes its template back', async () => {
    const played = await play({ input: { current: nothingYet }, failing: { [`apply ${controlPlane}`]: 'Forbidden' } });
    expect(played.lines).toEqual([...created.slice(0, 5), `take back apply ${cpTemplate}`]);
    expect(played.patchesCluster).toBe(true);
    expect(played.refs).toEqual({ infrastructureRef: expect.anything() });
    expect(played.failure).toBe('failed to create KubeadmControlPlane.controlplane.cluster.x-k8s.io');
  });

  it('leaves a template that may be in use: nobody knows whether the control plane was made', async () => {
    const failing = { [`apply ${controlPlane}`]: 'UnknownOutcome' } as const;
    expect((await play({ input: { current: nothingYet }, failing })).lines).toEqual(created.slice(0, 5));
  });

  it('ends where the shim or the infrastructure cannot be made', async () => {
    const shim = await play({ input: { current: nothingYet }, failing: { 'create shim': 'Forbidden' } });
    expect(shim).toMatchObject({ lines: ['create shim'], patchesCluster: false });
    expect(shim.failure).toBe('failed to create the cluster shim object: no luck');
    const failed = await play({ input: { current: nothingYet }, failing: { [`apply ${infra}`]: 'Forbidden' } });
    expect(failed).toMatchObject({ lines: created.slice(0, 2), patchesCluster: false });
    expect(failed.failure).toBe('failed to create GenericInfrastructureCluster.infrastructure.cluster.x-k8s.io');
  });

  it('takes back what a MachineDeployment or MachinePool that failed would have used', async () => {
    const input = { current: nothingYet };
    const first = await play({ input, failing: { [`apply ${mdBootstrap}`]: 'Forbidden' } });
    expect(first.lines.slice(5)).toEqual([`apply ${mdInfra}`, `apply ${mdBootstrap}`, `take back apply ${mdInfra}`]);
    expect(first.failure).toBe(
      'failed to create MachineDeployment: failed to create KubeadmConfigTemplate.bootstrap.cluster.x-k8s.io',
    );
    const second = await play({ input, failing: { [`apply ${mp}`]: 'Forbidden' } });
    expect(second.lines.slice(-2)).toEqual([`take back apply ${mpInfra}`, `take back apply ${mpBootstrap}`]);
    expect(second.failure).toBe('failed to create MachinePool.cluster.x-k8s.io');
  });

  it('waits with workers whose creation is pending, health check included', async () => {
    const versions = progress({ pendingCreate: new Set(['md1']) });
    const { lines } = await play({ input: { current: nothingYet, versions } });
    expect(lines.filter(line => line.includes('md1'))).toEqual([]);
  });

  it('keeps the templates of a MachineDeployment whose health check could not be made', async () => {
    const { lines } = await play({ input: { current: nothingYet }, failing: { [`apply ${mdCheck}`]: 'Forbidden' } });
    expect(lines.at(-1)).toBe(`apply ${mdCheck}`);
  });

  it('uses what a pass that did not end has made already', async () => {
    const existing = applied(desired.infrastructureCluster);
    const names = { ...settledNames, infrastructureCluster: { name: settled.infrastructureCluster, existing } };
    const played = await play({
      input: { current: nothingYet, names },
      failing: { [`apply ${controlPlane}`]: 'Forbidden' },
    });
    expect(played.actions.find(({ id }) => id === `apply ${infra}`)).toMatchObject({ uid: existing.metadata.uid });
    expect(played.patchesCluster).toBe(true);
  });
});

describe('workers', () => {
  it('26 are not made twice: those that are there are found by their labels', async () => {
    const { lines } = await play({ input: { current: { ...current, machinePools: new Map() } } });
    expect(lines).toEqual([`apply ${mpInfra}`, `apply ${mpBootstrap}`, `apply ${mp}`]);
  });

  it('70 go with their topology: the health check, then the MachineDeployment', async () => {
    const wanted = { ...desired, machineDeployments: new Map(), machinePools: new Map() };
    const { lines, events, about } = await play({ input: { desired: wanted } });
    expect(lines).toEqual([`delete ${mdCheck}`, `delete ${md}`, `delete ${mp}`]);
    expect(events).toEqual([
      `TopologyDelete Deleted MachineHealthCheck "ns1/${settled.md1.object}"`,
      `TopologyDelete Deleted MachineDeployment "ns1/${settled.md1.object}"`,
      `TopologyDelete Deleted MachinePool "ns1/${settled.mp1.object}"`,
    ]);
    expect(about).toEqual([settled.md1.object]);
  });

  it('71 that are going are left alone, and so are their templates', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const going = (object: Intent) => applied(object, { metadata: { deletionTimestamp } });
    const check = mdOf(desired).healthCheck ?? fail();
    const leaving: Current = {
      ...current,
      machineDeployments: new Map([['md1', { object: going(mdOf(desired).object), healthCheck: going(check) }]]),
      machinePools: new Map([['mp1', { object: going(mpOf(desired).object) }]]),
    };
    expect(await play({ input: { current: leaving } })).toMatchObject({ lines: [], dryRuns: [] });
    const wanted = { ...desired, machineDeployments: new Map(), machinePools: new Map() };
    expect((await play({ input: { current: leaving, desired: wanted } })).lines).toEqual([]);
  });

  it('stop at the first that fails, and those after it are not touched', async () => {
    const wanted = { ...desired, machineDeployments: new Map(), machinePools: new Map() };
    const { lines, failure } = await play({ input: { desired: wanted }, failing: { [`delete ${md}`]: 'Forbidden' } });
    expect(lines).toEqual([`delete ${mdCheck}`, `delete ${md}`]);
    expect(failure).toBe(`failed to delete MachineDeployment ns1/${settled.md1.object}: no luck`);
  });
});

describe('a health check', () => {
  it('34 goes when it is not wanted any more', async () => {
    const { healthCheck: _, ...others } = desired.controlPlane;
    const { lines, events } = await play({ input: { desired: { ...desired, controlPlane: others } } });
    expect(lines).toEqual([`delete ${cpCheck}`]);
    expect(events).toEqual([`TopologyDelete Deleted MachineHealthCheck "ns1/${settled.controlPlane}"`]);
  });

  it('69 is changed while the upgrade of what it watches is pending, and nothing else is', async () => {
    const check = desired.controlPlane.healthCheck ?? fail();
    const wanted: Desired = {
      ...withMd({
        healthCheck: changed(mdOf(desired).healthCheck ?? fail(), 'spec.checks.nodeStartupTimeoutSeconds', 30),
        infrastructureTemplate: bigger(mdOf(desired).infrastructureTemplate),
      }),
      controlPlane: {
        object: changed(desired.controlPlane.object, 'spec.replicas', 5),
        machineTemplate: bigger(cpMachine),
        healthCheck: changed(check, 'spec.checks.nodeStartupTimeoutSeconds', 30),
      },
    };
    const pending = progress({ pendingUpgrade: new Set([settled.md1.object]) });
    const versions = { ...pending, controlPlane: { ...pending.controlPlane, isPendingUpgrade: true } };
    const { lines, events, refs } = await play({ input: { desired: wanted, versions } });
    expect(lines).toEqual([`apply ${cpCheck}`, `apply ${mdCheck}`]);
    expect(events).toEqual([
      `TopologyUpdate Updated MachineHealthCheck "ns1/${settled.controlPlane}"`,
      `TopologyUpdate Updated MachineHealthCheck "ns1/${settled.md1.object}"`,
    ]);
    expect(refs).toHaveProperty('controlPlaneRef');
  });

  it('tells which one could not be made, changed or removed', async () => {
    const { healthCheck: _, ...without } = current.controlPlane;
    const made = await play({
      input: { current: { ...current, controlPlane: without } },
      failing: { [`apply ${cpCheck}`]: 'Forbidden' },
    });
    expect(made.failure).toBe(`failed to create MachineHealthCheck ns1/${settled.controlPlane}: no luck`);
    const healthCheck = changed(
      desired.controlPlane.healthCheck ?? fail(),
      'spec.checks.nodeStartupTimeoutSeconds',
      30,
    );
    const patched = await play({
      input: { desired: withCp({ healthCheck }) },
      failing: { [`apply ${cpCheck}`]: 'Forbidden' },
    });
    expect(patched.failure).toBe(`failed to patch MachineHealthCheck ns1/${settled.controlPlane}: no luck`);
    expect(patched.patchesCluster).toBe(false);
  });
});

describe('an object', () => {
  it('39 gets a value back that somebody else has changed', async () => {
    const object = desired.infrastructureCluster;
    const infrastructureCluster = applied(object, { spec: { region: 'r2' } });
    const { lines, dryRuns, actions, events } = await play({
      input: { current: { ...current, infrastructureCluster } },
    });
    expect(lines).toEqual([`apply ${infra}`]);
    expect(dryRuns).toEqual([infra, infra]);
    expect(valueAt(appliedBy(actions, `apply ${infra}`)['spec'], 'region')).toBe('r1');
    expect(events).toEqual([
      `TopologyUpdate Updated GenericInfrastructureCluster "ns1/${settled.infrastructureCluster}"`,
    ]);
  });

  it('40 keeps what others have set', async () => {
    const infrastructureCluster = applied(desired.infrastructureCluster, { spec: { zone: 'z' } });
    expect(await play({ input: { current: { ...current, infrastructureCluster } } })).toMatchObject({
      lines: [],
      dryRuns: [],
    });
  });

  it('41 loses what the class does not name any more', async () => {
    const was = changed(desired.infrastructureCluster, 'spec.zone', 'z');
    const { lines, actions } = await play({ input: { current: { ...current, infrastructureCluster: applied(was) } } });
    expect(lines).toEqual([`apply ${infra}`]);
    expect(fieldsOf(appliedBy(actions, `apply ${infra}`)['spec'])).toEqual({ region: 'r1' });
  });

  it('46 never becomes another kind', async () => {
    const infrastructureCluster = { ...desired.infrastructureCluster, kind: 'OtherCluster' };
    const { lines, failure, patchesCluster } = await play({
      input: { desired: { ...desired, infrastructureCluster } },
    });
    expect(lines).toEqual([]);
    expect(patchesCluster).toBe(false);
    expect(failure).toBe(
      'metadata.kind: Forbidden: apiVersion.kind of GenericInfrastructureCluster.infrastructure.cluster.x-k8s.io/' +
        `${settled.infrastructureCluster} cannot be changed from "GenericInfrastructureCluster" to "OtherCluster" to prevent ` +
        'incompatible changes in the Cluster',
    );
  });

  it('47 never sends an endpoint that says nothing', async () => {
    const endpoint = { host: '', port: 0 };
    const infrastructureCluster = changed(desired.infrastructureCluster, 'spec.controlPlaneEndpoint', endpoint);
    expect((await play({ input: { desired: { ...desired, infrastructureCluster } } })).lines).toEqual([]);
  });

  it('48 is written with the uid that was read, so that nothing is made again', async () => {
    const object = changed(desired.controlPlane.object, 'spec.replicas', 5);
    const { actions } = await play({ input: { desired: withCp({ object }) } });
    expect(actions.find(({ id }) => id === `apply ${controlPlane}`)).toMatchObject({
      uid: current.controlPlane.object?.metadata.uid,
    });
  });

  it('tells which versions it goes from and to', async () => {
    const wanted = withMd({ object: changed(mdOf(desired).object, 'spec.template.spec.version', 'v1.32.0') });
    const object = changed(desired.controlPlane.object, 'spec.version', 'v1.32.0');
    const { events } = await play({
      input: { desired: { ...wanted, controlPlane: { ...desired.controlPlane, object } } },
    });
    expect(events).toEqual([
      `TopologyUpdate Updated KubeadmControlPlane "ns1/${settled.controlPlane}" with version change from v1.31.0 to v1.32.0`,
      `TopologyUpdate Updated MachineDeployment "ns1/${settled.md1.object}" with version change from v1.31.0 to v1.32.0`,
    ]);
  });
});

describe('a template', () => {
  it('42 whose labels change is patched in place', async () => {
    const infrastructureTemplate = changed(mdOf(desired).infrastructureTemplate, 'metadata.labels.new', '1');
    const { lines, events, dryRuns } = await play({ input: { desired: withMd({ infrastructureTemplate }) } });
    expect(lines).toEqual([`apply ${mdInfra}`]);
    expect(dryRuns).toEqual([mdInfra, mdInfra]);
    expect(events).toEqual([
      `TopologyUpdate Updated GenericInfrastructureMachineTemplate "ns1/${settled.md1.infrastructure}" (metadata changes)`,
    ]);
  });

  it('43 of control plane machines whose spec changes gets a successor, and goes once nothing refers to it', async () => {
    const { lines, actions, events } = await play({
      input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) },
    });
    const [made = ''] = lines;
    const name = made.split(' ').at(-1);
    expect(made).toMatch(/^apply GenericInfrastructureMachineTemplate c1-[a-z0-9]{5}$/);
    expect(lines).toEqual([
      made,
      `apply ${controlPlane}`,
      `delete ${cpTemplate}`,
      `unmark GenericInfrastructureMachineTemplate ${name}`,
    ]);
    expect(valueAt(appliedBy(actions, `apply ${controlPlane}`), refOfControlPlane)).toBe(name);
    expect(annotationsOf(appliedBy(actions, made))[replacesAnnotation]).toBe(settled.controlPlaneMachineTemplate);
    expect(actions.find(({ id }) => id === `unmark GenericInfrastructureMachineTemplate ${name}`)).toMatchObject({
      body: { metadata: { annotations: { [replacesAnnotation]: null } } },
    });
    expect(events[0]).toBe(
      `TopologyCreate Created GenericInfrastructureMachineTemplate "ns1/${name}" as a replacement for ` +
        `"${settled.controlPlaneMachineTemplate}" (template rotation)`,
    );
  });

  it('44 of a MachineDeployment whose spec changes gets a successor, and stays', async () => {
    const infrastructureTemplate = bigger(mdOf(desired).infrastructureTemplate);
    const { lines, actions } = await play({ input: { desired: withMd({ infrastructureTemplate }) } });
    const [made = ''] = lines;
    expect(made).toMatch(/^apply GenericInfrastructureMachineTemplate c1-md1-[a-z0-9]{5}$/);
    expect(lines).toEqual([made, `apply ${md}`]);
    const spec = valueAt(appliedBy(actions, `apply ${md}`), 'spec.template.spec');
    expect(valueAt(spec, 'infrastructureRef.name')).toBe(made.split(' ').at(-1));
    expect(valueAt(spec, 'bootstrap.configRef.name')).toBe(settled.md1.bootstrap);
  });

  it('45 that nothing came to refer to is taken back, and the old one stays', async () => {
    const failing = { [`apply ${controlPlane}`]: 'Forbidden' } as const;
    const { lines, failure } = await play({
      input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) },
      failing,
    });
    const [made = ''] = lines;
    expect(lines).toEqual([made, `apply ${controlPlane}`, `take back ${made}`]);
    expect(failure).toBe(`failed to patch KubeadmControlPlane ns1/${settled.controlPlane}: no luck`);
  });

  it('that could not be removed is told of', async () => {
    const failing = { [`delete ${cpTemplate}`]: 'Forbidden' } as const;
    const { failure, lines } = await play({
      input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) },
      failing,
    });
    expect(lines).toHaveLength(3);
    expect(failure).toBe(
      `failed to delete old GenericInfrastructureMachineTemplate ns1/${settled.controlPlaneMachineTemplate} of ` +
        `KubeadmControlPlane ns1/${settled.controlPlane}: no luck`,
    );
  });

  it('of bootstrap may become another kind: it gets a successor without a question', async () => {
    const bootstrapTemplate = { ...mdOf(desired).bootstrapTemplate, kind: 'OtherConfigTemplate' };
    const { lines, dryRuns } = await play({ input: { desired: withMd({ bootstrapTemplate }) } });
    expect(lines[0]).toMatch(/^apply OtherConfigTemplate c1-md1-/);
    expect(lines[1]).toBe(`apply ${md}`);
    expect(dryRuns).not.toContain(`OtherConfigTemplate ${settled.md1.bootstrap}`);
  });

  it('of machines never becomes another kind', async () => {
    const infrastructureTemplate = { ...mdOf(desired).infrastructureTemplate, kind: 'OtherMachineTemplate' };
    const { failure } = await play({ input: { desired: withMd({ infrastructureTemplate }) } });
    expect(failure).toMatch(
      `failed to reconcile MachineDeployment ns1/${settled.md1.object}: metadata.kind: Forbidden: apiVersion.kind of `,
    );
  });

  it('uses the successor that a pass that did not end has made', async () => {
    const input = { desired: withCp({ machineTemplate: bigger(cpMachine) }) };
    const first = await play({ input });
    const [made = ''] = first.lines;
    const successor = applied(appliedBy(first.actions, made));
    const server = aTryingServer([...objectsOf(current), successor]);
    const whole = { blueprint, current, names: settledNames, versions: settledVersions(), ...input };
    const again = imagineWrites(toActions(await planChanges(whole, server.ask), current, clusterPatch));
    const unmark = made.replace('apply', 'unmark');
    expect(again.lines).toEqual([`apply ${controlPlane}`, `delete ${cpTemplate}`, unmark, clusterPatch.id]);
  });

  describe('of control plane machines that still names the one that it replaced', () => {
    const machineTemplate = applied(replacing(cpMachine, 'c1-older'));
    const before = { ...current, controlPlane: { ...current.controlPlane, machineTemplate } };
    const older = applied(changed(cpMachine, 'metadata.name', 'c1-older'));
    const olderTemplate = 'GenericInfrastructureMachineTemplate c1-older';

    it('takes it with it, and forgets it', async () => {
      const { lines } = await play({ input: { current: before }, others: [older] });
      expect(lines).toEqual([`delete ${olderTemplate}`, `apply ${cpTemplate}`]);
    });

    it('forgets it when it is gone', async () => {
      expect((await play({ input: { current: before } })).lines).toEqual([`apply ${cpTemplate}`]);
    });

    it('leaves alone what is not of this Cluster', async () => {
      const foreign = changed(older, 'metadata.labels', { 'cluster.x-k8s.io/cluster-name': 'c1' });
      const others = [foreign];
      expect((await play({ input: { current: before }, others })).lines).toEqual([`apply ${cpTemplate}`]);
    });

    it('waits while it cannot be looked at', async () => {
      const faults = [{ at: 'get GenericInfrastructureMachineTemplate ns1/c1-older', message: 'no luck' }];
      const { lines, failure } = await play({ input: { current: before }, faults });
      expect(lines).toEqual([]);
      expect(failure).toBe('failed to retrieve GenericInfrastructureMachineTemplate ns1/c1-older: no luck');
    });

    it('tells that it could not be removed', async () => {
      const failing = { [`delete ${olderTemplate}`]: 'Forbidden' } as const;
      const { failure } = await play({ input: { current: before }, others: [older], failing });
      expect(failure).toBe('failed to delete old GenericInfrastructureMachineTemplate ns1/c1-older: no luck');
    });
  });

  it('that another pass may use meanwhile is not taken back', async () => {
    const failing = { [`apply ${controlPlane}`]: 'TooManyRequests' } as const;
    const { lines } = await play({ input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) }, failing });
    expect(lines).toHaveLength(2);
  });

  it('that could not be unmarked is told of', async () => {
    const wanted = { desired: withCp({ machineTemplate: bigger(cpMachine) }) };
    const [made = ''] = (await play({ input: wanted })).lines;
    const unmark = made.replace('apply', 'unmark');
    const { failure } = await play({ input: wanted, failing: { [unmark]: 'Forbidden' } });
    expect(failure).toBe(`failed to patch ${unmark.replace('unmark ', '').replace(' ', ' ns1/')}: no luck`);
  });

  it('cannot get a successor while its name cannot be looked up', async () => {
    const wanted = { desired: withMd({ infrastructureTemplate: bigger(mdOf(desired).infrastructureTemplate) }) };
    const [made = ''] = (await play({ input: wanted })).lines;
    const faults = [{ at: made.replace('apply', 'get').replace(/ (c1-\S+)$/, ' ns1/$1'), message: 'no luck' }];
    const { failure, lines } = await play({ input: wanted, faults });
    expect(lines).toEqual([]);
    expect(failure).toMatch(
      /^failed to reconcile MachineDeployment .*: failed to look up GenericInfrastructureMachineTemplate ns1\/c1-md1-/,
    );
  });
});

describe('what cannot be planned', () => {
  const { infrastructureCluster: object } = desired;
  const moved = { ...current, infrastructureCluster: applied(object, { spec: { region: 'r2' } }) };

  it.each([
    { dryRun: 1, which: 'modified' },
    { dryRun: 2, which: 'original' },
  ] as const)('ends the pass where a dry run of the $which object is refused', async ({ dryRun, which }) => {
    const played = await play({ input: { current: moved }, refusals: [{ at: infra, message: 'immutable', dryRun }] });
    expect(played).toMatchObject({ lines: [], patchesCluster: false });
    expect(played.failure).toBe(
      `failed to create patch helper for GenericInfrastructureCluster ns1/${settled.infrastructureCluster}: ` +
        `server side apply dry-run failed for ${which} object: immutable`,
    );
  });

  it('leaves what comes before it to be done, and makes nothing that would be taken back', async () => {
    const input = {
      current: moved,
      desired: withMd({
        infrastructureTemplate: bigger(mdOf(desired).infrastructureTemplate),
        bootstrapTemplate: bigger(mdOf(desired).bootstrapTemplate),
      }),
    };
    const played = await play({ input, refusals: [{ at: mdBootstrap, message: 'immutable' }] });
    expect(played.lines).toEqual([`apply ${infra}`]);
    expect(played.patchesCluster).toBe(true);
    expect(played.failure).toMatch(
      /^failed to reconcile MachineDeployment .* dry-run failed for modified object: immutable$/,
    );
  });

  it('of a control plane leaves the Cluster alone unless infrastructure is being made', async () => {
    const wanted = withCp({ object: { ...desired.controlPlane.object, kind: 'OtherControlPlane' } });
    expect((await play({ input: { desired: wanted } })).patchesCluster).toBe(false);
    const { infrastructureCluster: _, ...others } = current;
    const played = await play({ input: { desired: wanted, current: others } });
    expect(played.patchesCluster).toBe(true);
    expect(played.refs).toHaveProperty('controlPlaneRef');
    expect(played.lines).toEqual(['create shim', `apply ${infra}`]);
  });

  it('is told together with a patch of the Cluster that failed', async () => {
    const failing = { [`apply ${controlPlane}`]: 'Forbidden', [clusterPatch.id]: 'Forbidden' } as const;
    const { failure } = await play({ input: { current: nothingYet }, failing });
    expect(failure).toBe(
      '[failed to create KubeadmControlPlane.controlplane.cluster.x-k8s.io, failed to patch Cluster ns1/c1: no luck]',
    );
  });

  it('stops the workers where the Cluster could not be patched', async () => {
    const { lines, failure } = await play({
      input: { current: nothingYet },
      failing: { [clusterPatch.id]: 'Forbidden' },
    });
    expect(lines.at(-1)).toBe(`apply ${controlPlane}`);
    expect(failure).toBe('failed to patch Cluster ns1/c1: no luck');
  });
});

describe('the shim', () => {
  const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'u' };
  const shim = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'shim' };
  const aShim = new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 'c1-shim' }).in('ns1');

  function owned(
    infraOwners: readonly object[],
    cpOwners: readonly object[],
  ): Pick<ChangesInput, 'current' | 'desired'> {
    const withOwners = (intent: Intent, owners: readonly object[]) =>
      changed(intent, 'metadata.ownerReferences', owners);
    const shims = (owners: readonly object[]) => owners.filter(owner => owner === shim);
    const wanted: Desired = {
      ...withCp({ object: withOwners(desired.controlPlane.object, shims(cpOwners)) }),
      infrastructureCluster: withOwners(desired.infrastructureCluster, shims(infraOwners)),
    };
    return {
      desired: wanted,
      current: {
        ...current,
        infrastructureCluster: applied(withOwners(desired.infrastructureCluster, infraOwners)),
        controlPlane: { ...current.controlPlane, object: applied(withOwners(desired.controlPlane.object, cpOwners)) },
      },
    };
  }

  it.each([
    {
      reason: '18 both are owned by the Cluster and one by the shim, too',
      infra: [cluster, shim],
      cp: [cluster],
      goes: true,
    },
    { reason: 'the Cluster does not own the control plane yet', infra: [cluster, shim], cp: [shim], goes: false },
    { reason: 'another Cluster owns it', infra: [cluster, shim], cp: [{ ...cluster, name: 'c2' }], goes: false },
    { reason: 'nothing refers to it', infra: [cluster], cp: [cluster], goes: false },
    { reason: 'it is gone, although references are left', infra: [cluster, shim], cp: [cluster], uid: '', goes: false },
    { reason: 'another one has its name', infra: [cluster, shim], cp: [cluster], uid: 'other', goes: false },
  ])('goes: $goes, as $reason', async ({ infra: infraOwners, cp, uid = 'shim', goes }) => {
    const others = uid === '' ? [] : [aShim.withUid(uid).build()];
    const { actions } = await play({ input: owned(infraOwners, cp), others });
    const found = actions.find(({ id }) => id === 'delete shim');
    expect(found).toEqual(
      goes
        ? expect.objectContaining({
            ref: { apiVersion: 'v1', kind: 'Secret', namespace: 'ns1', name: 'c1-shim' },
            uid: 'shim',
          })
        : undefined,
    );
  });

  it('is kept while it cannot be looked at', async () => {
    const faults = [{ at: 'metadata Secret ns1/c1-shim', message: 'no luck' }];
    const { failure } = await play({ input: owned([cluster, shim], [cluster]), faults });
    expect(failure).toBe('failed to read the cluster shim object: no luck');
  });

  const stored = aShim.withUid('u1');
  const ours = stored.ownedBy(blueprint.cluster.object).build();

  it('is used again where a pass that did not end has made it, and gets nothing that is not there yet', async () => {
    const { infrastructureCluster: _, ...others } = current;
    const server = aTryingServer([...objectsOf(others), ours]);
    const whole = { blueprint, current: others, desired, names: settledNames, versions: settledVersions() };
    const actions = toActions(await planChanges(whole, server.ask), others, clusterPatch);
    expect(actions.map(({ id }) => id)).toEqual([`apply ${infra}`, `apply ${controlPlane}`, clusterPatch.id]);
    for (const object of [infra, controlPlane]) {
      expect(appliedBy(actions, `apply ${object}`).metadata.ownerReferences).toEqual([
        { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'u1' },
      ]);
    }
  });

  it.each([
    {
      reason: 'somebody else has made it',
      object: stored.build(),
      why: 'Secret ns1/c1-shim exists already and the Cluster is not its owner; delete or rename it',
    },
    {
      reason: 'it is going, and would take with it what it owns',
      object: { ...ours, metadata: { ...ours.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      why: 'Secret ns1/c1-shim is being deleted',
    },
  ])('owns nothing where $reason', async ({ object, why }) => {
    const server = aTryingServer([object]);
    const whole = { blueprint, current: nothingYet, desired, names: settledNames, versions: settledVersions() };
    const changes = await planChanges(whole, server.ask);
    const { lines, outcomes } = imagineWrites(toActions(changes, nothingYet, clusterPatch));
    expect(lines).toEqual([]);
    expect(failureOf(changes, outcomes, undefined)).toBe(`failed to create the cluster shim object: ${why}`);
  });

  it('is adopted where another pass makes it meanwhile, if it is of this Cluster and stays', async () => {
    const { actions } = await play({ input: { current: nothingYet } });
    const create = actions.find(({ id }) => id === 'create shim');
    const isOurs = create?.do === 'create' ? create.ours : fail();
    expect(isOurs(ours)).toBe(true);
    expect(isOurs(stored.build())).toBe(false);
    expect(isOurs({ ...ours, metadata: { ...ours.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(false);
  });

  it('must be known before anything is made', async () => {
    const faults = [{ at: 'metadata Secret ns1/c1-shim', message: 'no luck' }];
    const { failure, lines } = await play({ input: { current: nothingYet }, faults });
    expect(lines).toEqual([]);
    expect(failure).toBe('failed to read the cluster shim object: no luck');
  });

  it('tells why it could not be removed', async () => {
    const others = [aShim.withUid('shim').build()];
    const input = owned([cluster, shim], [cluster]);
    const played = await play({ input, others, failing: { 'delete shim': 'Forbidden' } });
    expect(played.failure).toBe('failed to delete the cluster shim object: no luck');
  });
});
