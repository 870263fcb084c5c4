// The shim, which owns the first objects of a topology until its Cluster references them.

import type { Intent } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ChangesInput } from '../../../../../../functions/topology/plan/changes/changes-input.ts';
import { problemOfChanges, toActions } from '../../../../../../functions/topology/plan/changes/ordered-changes.ts';
import type { Desired } from '../../../../../../functions/topology/plan/desired/desired-topology.ts';
import { ObjectBuilder } from '../../../../../support/object-builder.ts';
import {
  blueprint,
  changed,
  clusterPatch,
  controlPlane,
  current,
  desired,
  fail,
  infra,
  planWith,
  play,
  withCp,
} from '../../../../../support/planned-changes.ts';
import { nothingYet, settledNames, settledVersions } from '../../../../../support/settled-topology.ts';
import {
  applied,
  appliedBy,
  aTryingServer,
  objectsOf,
  overlayWrites,
} from '../../../../../support/topology-changes.ts';

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
      reason: 'both are owned by the Cluster and one by the shim, too',
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

  it('is kept while it cannot be read', async () => {
    const faults = [{ at: 'metadata Secret ns1/c1-shim', message: 'no luck' }];
    const { failure } = await play({ input: owned([cluster, shim], [cluster]), faults });
    expect(failure).toBe('failed to read the cluster shim object: no luck');
  });

  const stored = aShim.withUid('u1');
  const ours = stored.ownedBy(blueprint.cluster.object).build();

  it('is used again if an interrupted pass created it, and references no missing object', async () => {
    const { infrastructureCluster: _, ...others } = current;
    const server = aTryingServer([...objectsOf(others), ours]);
    const whole = { blueprint, current: others, desired, names: settledNames, versions: settledVersions() };
    const actions = toActions(await planWith(whole, server.ask), others, clusterPatch);
    expect(actions.map(({ id }) => id)).toEqual([`apply ${infra}`, `apply ${controlPlane}`, clusterPatch.id]);
    for (const object of [infra, controlPlane]) {
      expect(appliedBy(actions, `apply ${object}`).metadata.ownerReferences).toEqual([
        { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'u1' },
      ]);
    }
  });

  it.each([
    {
      reason: 'another Cluster has created it',
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
    const changes = await planWith(whole, server.ask);
    const { lines, outcomes } = overlayWrites(toActions(changes, nothingYet, clusterPatch));
    expect(lines).toEqual([]);
    expect(problemOfChanges(changes, outcomes, undefined)).toBe(`failed to create the cluster shim object: ${why}`);
  });

  it('is adopted if another pass creates it in the meantime, it belongs to this Cluster, and it is not being deleted', async () => {
    const { actions } = await play({ input: { current: nothingYet } });
    const create = actions.find(({ id }) => id === 'create shim');
    const isOurs = create?.do === 'create' ? create.ours : fail();
    expect(isOurs(ours)).toBe(true);
    expect(isOurs(stored.build())).toBe(false);
    expect(isOurs({ ...ours, metadata: { ...ours.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(false);
  });

  it('must be known before any object is created', async () => {
    const faults = [{ at: 'metadata Secret ns1/c1-shim', message: 'no luck' }];
    const { failure, lines } = await play({ input: { current: nothingYet }, faults });
    expect(lines).toEqual([]);
    expect(failure).toBe('failed to read the cluster shim object: no luck');
  });

  it('reports why it could not be deleted', async () => {
    const others = [aShim.withUid('shim').build()];
    const input = owned([cluster, shim], [cluster]);
    const played = await play({ input, others, failing: { 'delete shim': 'Forbidden' } });
    expect(played.failure).toBe('failed to delete the cluster shim object: no luck');
  });
});
