// The cases in which the shim is needed, created, used and deleted.

import {
  type Answer,
  answered,
  type ObjectMeta,
  type OwnerReference,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { planShim, withOwner } from '../../../../../../functions/topology/plan/changes/shim-change.ts';
import type { Current } from '../../../../../../functions/topology/plan/current/current-topology.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { aCurrent, nothingYet, ownedByCluster } from '../../../../../support/settled-topology.ts';
import { desiredFor } from '../../../../../support/topology-changes.ts';
import { aBlueprint } from '../../../../../support/topology-objects.ts';

const { cluster } = aBlueprint();
const { uid } = cluster.metadata;
const shim = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'uid-of-shim' } as const;
const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns1', name: 'c1-shim' } as const;

function owned(object: Unstructured | undefined, ownerReferences: readonly OwnerReference[]): Unstructured {
  if (object === undefined) {
    throw new Error('The fixture has all objects');
  }
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function ownedBy(infrastructure: readonly OwnerReference[], controlPlane: readonly OwnerReference[]) {
  const current = aCurrent();
  return {
    ...current,
    infrastructureCluster: owned(current.infrastructureCluster, infrastructure),
    controlPlane: { ...current.controlPlane, object: owned(current.controlPlane.object, controlPlane) },
  };
}

function metadata(more: Partial<ObjectMeta> = {}): ObjectMeta {
  return { name: 'c1-shim', namespace: 'ns1', uid: shim.uid, resourceVersion: '1', ...more };
}

function plan(current: Current, answer: Answer<ObjectMeta>) {
  const { result, asked } = answerFrom(planShim(cluster, current), { metadata: () => answer });
  return { ...result, asked: asked.map(({ about }) => about) };
}

const missing = refused({ reason: 'NotFound', message: '' });
const owner = ownedByCluster();
const planNeeded = (answer: Answer<ObjectMeta>) => plan(nothingYet, answer);
const planRemovable = (answer: Answer<ObjectMeta>) => plan(ownedBy([owner, shim], [shim, owner]), answer);

describe('the need for a shim', () => {
  const { infrastructureCluster: _, ...withoutInfrastructure } = aCurrent();
  it.each<{ reason: string; current: Current; asked?: readonly []; steps: readonly string[] }>([
    { reason: 'nothing exists', current: nothingYet, steps: ['create shim'] },
    { reason: 'no infrastructure cluster', current: withoutInfrastructure, steps: ['create shim'] },
    { reason: 'no control plane', current: { ...aCurrent(), controlPlane: {} }, steps: ['create shim'] },
    { reason: 'both exist without a shim', current: ownedBy([owner], [owner]), asked: [], steps: [] },
    { reason: 'the Cluster owns both', current: ownedBy([owner, shim], [shim, owner]), steps: ['delete shim'] },
    { reason: 'only one refers to the shim', current: ownedBy([owner], [owner, shim]), steps: ['delete shim'] },
    { reason: 'the Cluster owns one only', current: ownedBy([owner, shim], [shim]), asked: [], steps: [] },
    {
      reason: 'another Cluster owns one',
      current: ownedBy([owner, shim], [shim, { ...owner, name: 'c2' }]),
      asked: [],
      steps: [],
    },
    {
      reason: 'an object of another kind with the name of the Cluster owns one',
      current: ownedBy([owner, shim], [shim, { ...owner, kind: 'Other' }]),
      asked: [],
      steps: [],
    },
  ])('follows from the owners of the fields: $reason', ({ current, asked = [ref], steps }) => {
    const planned = plan(current, steps.includes('create shim') ? missing : answered(metadata()));
    expect(planned.asked).toEqual(asked);
    expect(planned.plan.steps.map(({ action }) => action.id)).toEqual(steps);
  });
});

describe('a needed shim', () => {
  it('is created first and owns the objects that are created after it', () => {
    const planned = planNeeded(missing);
    const [step] = planned.plan.steps;
    expect(planned.owner).toEqual({ apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: { uidOf: 'create shim' } });
    expect(step?.action).toMatchObject({
      id: 'create shim',
      onError: 'continue',
      do: 'create',
      object: {
        metadata: {
          name: 'c1-shim',
          namespace: 'ns1',
          labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
          ownerReferences: [{ kind: 'Cluster', name: 'c1', uid }],
        },
        type: 'cluster.x-k8s.io/secret',
      },
    });
    expect(step?.toProblem({ reason: 'Forbidden', message: 'no right' })).toBe(
      'failed to create the cluster shim object: no right',
    );
  });

  const byCluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid };
  it.each<{ reason: string; of: Partial<ObjectMeta>; isOurs: boolean }>([
    { reason: 'the Cluster owns it', of: { ownerReferences: [byCluster] }, isOurs: true },
    { reason: 'one of two owners is the Cluster', of: { ownerReferences: [shim, byCluster] }, isOurs: true },
    { reason: 'it has no owner', of: {}, isOurs: false },
    { reason: 'another Cluster owns it', of: { ownerReferences: [{ ...byCluster, uid: 'u2' }] }, isOurs: false },
    {
      reason: 'it is being deleted',
      of: { ownerReferences: [byCluster], deletionTimestamp: '2026-01-01T00:00:00Z' },
      isOurs: false,
    },
  ])('is adopted by a repeated create only as our own: $reason', ({ of, isOurs }) => {
    const [step] = planNeeded(missing).plan.steps;
    const action = step?.action;
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: metadata(of) };
    expect(action?.do === 'create' ? action.ours?.(object) : undefined).toBe(isOurs);
  });

  const prefix = 'failed to create the cluster shim object: Secret ns1/c1-shim';
  it.each<{ reason: string; of: Partial<ObjectMeta>; failure: string | undefined }>([
    { reason: 'ours', of: { ownerReferences: [byCluster] }, failure: undefined },
    {
      reason: 'ours, being deleted',
      of: { ownerReferences: [byCluster], deletionTimestamp: '2026-01-01T00:00:00Z' },
      failure: `${prefix} is being deleted`,
    },
    {
      reason: 'not ours',
      of: { ownerReferences: [shim] },
      failure: `${prefix} exists already and the Cluster is not its owner; delete or rename it`,
    },
    {
      reason: 'without owners',
      of: {},
      failure: `${prefix} exists already and the Cluster is not its owner; delete or rename it`,
    },
  ])('is used where it exists: $reason', ({ of, failure }) => {
    expect(planNeeded(answered(metadata(of)))).toEqual({
      asked: [ref],
      ...(failure === undefined ? { plan: { steps: [] }, owner: shim } : { plan: { steps: [], failure } }),
    });
  });

  it('is a failure where it cannot be read', () => {
    expect(planNeeded(refused({ reason: 'Unavailable', message: 'down' }))).toEqual({
      plan: { steps: [], failure: 'failed to read the cluster shim object: down' },
      asked: [ref],
    });
  });
});

describe('a shim that is no longer needed', () => {
  it('is deleted by its uid', () => {
    const planned = planRemovable(answered(metadata()));
    const { steps } = planned.plan;
    expect(planned.owner).toBeUndefined();
    expect(steps.map(({ action }) => action)).toEqual([
      { id: 'delete shim', onError: 'continue', do: 'delete', ref, uid: shim.uid },
    ]);
    expect(steps[0]?.toProblem({ reason: 'Forbidden', message: 'no right' })).toBe(
      'failed to delete the cluster shim object: no right',
    );
  });

  it.each([
    { reason: 'another object has its name', answer: answered(metadata({ uid: 'u2' })), plan: { steps: [] } },
    { reason: 'it is gone', answer: refused({ reason: 'NotFound', message: '' }), plan: { steps: [] } },
    {
      reason: 'it cannot be read',
      answer: refused({ reason: 'Unavailable', message: 'down' }),
      plan: { steps: [], failure: 'failed to read the cluster shim object: down' },
    },
  ])('is not deleted: $reason', ({ answer, plan: kept }) => {
    expect(planRemovable(answer)).toEqual({ plan: kept, asked: [ref] });
  });
});

describe('the owner of what is created', () => {
  it('is added, and replaces a deleted shim', () => {
    const desired = desiredFor();
    const once = withOwner(desired, { ...shim, uid: 'old' });
    const twice = withOwner(once, shim);
    const others = desired.infrastructureCluster.metadata.ownerReferences ?? [];
    expect(twice.infrastructureCluster.metadata.ownerReferences).toEqual([...others, shim]);
    expect(twice.controlPlane.object.metadata.ownerReferences).toContainEqual(shim);
    expect(twice.controlPlane.machineTemplate).toEqual(desired.controlPlane.machineTemplate);
  });

  it.each<{ reason: string; other: Partial<OwnerReference> }>([
    { reason: 'another kind', other: { kind: 'ConfigMap' } },
    { reason: 'another name', other: { name: 'c2-shim' } },
  ])('keeps other owners: $reason', ({ other }) => {
    const desired = withOwner(desiredFor(), { ...shim, ...other });
    expect(withOwner(desired, shim).infrastructureCluster.metadata.ownerReferences).toEqual(
      expect.arrayContaining([{ ...shim, ...other }, shim]),
    );
  });
});
