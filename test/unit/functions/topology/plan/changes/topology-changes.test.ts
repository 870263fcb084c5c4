import type { Intent } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { problemOfChanges, toActions } from '../../../../../../functions/topology/plan/changes/ordered-changes.ts';
import type { Current } from '../../../../../../functions/topology/plan/current/current-topology.ts';
import type { Desired } from '../../../../../../functions/topology/plan/desired/desired-topology.ts';
import type { Versions } from '../../../../../../functions/topology/plan/upgrade/version-progress.ts';
import {
  bigger,
  blueprint,
  changed,
  clusterPatch,
  controlPlane,
  cpMachine,
  cpTemplate,
  current,
  desired,
  fail,
  infra,
  md,
  mdInfra,
  mdOf,
  planWith,
  play,
  withCp,
  withMd,
} from '../../../../../support/planned-changes.ts';
import { nothingYet, settledNames, settledVersions } from '../../../../../support/settled-topology.ts';
import {
  applied,
  appliedBy,
  aTryingServer,
  objectsOf,
  overlayWrites,
} from '../../../../../support/topology-changes.ts';
import { settled } from '../../../../../support/topology-objects.ts';

const mdBootstrap = `KubeadmConfigTemplate ${settled.md1.bootstrap}`;
const mp = `MachinePool ${settled.mp1.object}`;
const mpInfra = `GenericInfrastructureMachinePool ${settled.mp1.infrastructure}`;
const mpBootstrap = `KubeadmConfig ${settled.mp1.bootstrap}`;
const cpCheck = `MachineHealthCheck ${settled.controlPlane}`;
const mdCheck = `MachineHealthCheck ${settled.md1.object}`;
const mpOf = (of: Desired) => of.machinePools.get('mp1') ?? fail();
const currentMd = (of: Current) => of.machineDeployments.get('md1') ?? fail();

function withCurrentMd(change: Partial<ReturnType<typeof currentMd>>): Current {
  return { ...current, machineDeployments: new Map([['md1', { ...currentMd(current), ...change }]]) };
}

function progress(of: Partial<Versions['machineDeployments']>): Versions {
  const versions = settledVersions();
  return { ...versions, machineDeployments: { ...versions.machineDeployments, ...of } };
}

describe('a settled topology', () => {
  it('sends no dry run and no write', async () => {
    expect(await play()).toMatchObject({ lines: [], dryRuns: [], failure: undefined, events: [] });
  });

  it('needs no patch of the Cluster', async () => {
    const { ask } = aTryingServer(objectsOf(current));
    const whole = { blueprint, current, desired, names: settledNames, versions: settledVersions() };
    const changes = await planWith(whole, ask);
    expect(toActions(changes, current, undefined)).toEqual([]);
    expect(problemOfChanges(changes, new Map(), undefined)).toBeUndefined();
  });

  it('does not write the Cluster if the condition of its own patch fails', async () => {
    const changes = await planWith(
      { blueprint, current, desired, names: settledNames, versions: settledVersions() },
      aTryingServer(objectsOf(current)).ask,
    );
    const actions = toActions(changes, current, { ...clusterPatch, when: () => false });
    expect(overlayWrites(actions).lines).toEqual([]);
  });

  it('writes no machine template of the control plane if the class has none', async () => {
    const { machineTemplate: _, ...is } = current.controlPlane;
    const { machineTemplate: __, ...wanted } = desired.controlPlane;
    const object = changed(wanted.object, 'spec.replicas', 5);
    const { lines } = await play({
      input: {
        current: { ...current, controlPlane: is },
        desired: { ...desired, controlPlane: { ...wanted, object } },
      },
    });
    expect(lines).toEqual([`apply ${controlPlane}`]);
  });

  it('sends two dry runs for an object in doubt, and no write', async () => {
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

  it('is made in order, each object by one write', async () => {
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

  it('is owned only by the shim if the Cluster would start too early', async () => {
    const { actions } = await play({ input: { current: nothingYet } });
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: { uidOf: 'create shim' } };
    for (const object of [infra, controlPlane]) {
      expect(appliedBy(actions, `apply ${object}`).metadata.ownerReferences).toEqual([owner]);
    }
    expect(appliedBy(actions, `apply ${cpTemplate}`).metadata.ownerReferences).toMatchObject([{ kind: 'Cluster' }]);
  });

  it('keeps the infrastructure when the control plane cannot be created, and deletes its template', async () => {
    const played = await play({ input: { current: nothingYet }, failing: { [`apply ${controlPlane}`]: 'Forbidden' } });
    expect(played.lines).toEqual([...created.slice(0, 5), `take back apply ${cpTemplate}`]);
    expect(played.patchesCluster).toBe(true);
    expect(played.refs).toEqual({ infrastructureRef: expect.anything() });
    expect(played.failure).toBe('failed to create KubeadmControlPlane.controlplane.cluster.x-k8s.io');
  });

  it('keeps a template that may be in use: it is unknown whether the control plane was created', async () => {
    const failing = { [`apply ${controlPlane}`]: 'UnknownOutcome' } as const;
    expect((await play({ input: { current: nothingYet }, failing })).lines).toEqual(created.slice(0, 5));
  });

  it('ends if the shim or the infrastructure cannot be created', async () => {
    const shim = await play({ input: { current: nothingYet }, failing: { 'create shim': 'Forbidden' } });
    expect(shim).toMatchObject({ lines: ['create shim'], patchesCluster: false });
    expect(shim.failure).toBe('failed to create the cluster shim object: no luck');
    const failed = await play({ input: { current: nothingYet }, failing: { [`apply ${infra}`]: 'Forbidden' } });
    expect(failed).toMatchObject({ lines: created.slice(0, 2), patchesCluster: false });
    expect(failed.failure).toBe('failed to create GenericInfrastructureCluster.infrastructure.cluster.x-k8s.io');
  });

  it('deletes new templates of a failed MachineDeployment or MachinePool', async () => {
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

  it('keeps the templates of a MachineDeployment whose health check could not be created', async () => {
    const { lines } = await play({ input: { current: nothingYet }, failing: { [`apply ${mdCheck}`]: 'Forbidden' } });
    expect(lines.at(-1)).toBe(`apply ${mdCheck}`);
  });

  it('uses the objects of an interrupted pass', async () => {
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
  it('are not created twice: existing ones are found by their labels', async () => {
    const { lines } = await play({ input: { current: { ...current, machinePools: new Map() } } });
    expect(lines).toEqual([`apply ${mpInfra}`, `apply ${mpBootstrap}`, `apply ${mp}`]);
  });

  it('are deleted with their topology: the health check, then the MachineDeployment', async () => {
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

  it('in deletion are not written, nor are their templates', async () => {
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
  it('is deleted when it is no longer desired', async () => {
    const { healthCheck: _, ...others } = desired.controlPlane;
    const { lines, events } = await play({ input: { desired: { ...desired, controlPlane: others } } });
    expect(lines).toEqual([`delete ${cpCheck}`]);
    expect(events).toEqual([`TopologyDelete Deleted MachineHealthCheck "ns1/${settled.controlPlane}"`]);
  });

  it('is the only object that changes while the upgrade of its target is pending', async () => {
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

  it('names the one that could not be created, changed or deleted', async () => {
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

  it('keeps the writes before it, and creates nothing that would be deleted again', async () => {
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

  it('of a control plane prevents the patch of the Cluster unless infrastructure is created', async () => {
    const wanted = withCp({ object: { ...desired.controlPlane.object, kind: 'OtherControlPlane' } });
    expect((await play({ input: { desired: wanted } })).patchesCluster).toBe(false);
    const { infrastructureCluster: _, ...others } = current;
    const played = await play({ input: { desired: wanted, current: others } });
    expect(played.patchesCluster).toBe(true);
    expect(played.refs).toHaveProperty('controlPlaneRef');
    expect(played.lines).toEqual(['create shim', `apply ${infra}`]);
  });

  it('is reported together with a failed patch of the Cluster', async () => {
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
