// Determines the version of each MachineDeployment or MachinePool in this pass, and which of them must wait.

import { type Checked, invalid, type Unstructured, valid } from '@capi-serverless/apimachinery';
import type { TemplateMetadata } from '../../../../shared/api/topology-parts.ts';
import { afterControlPlaneUpgrade, beforeWorkersUpgrade } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { HookResponses } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { deferUpgradeAnnotation, holdUpgradeSequenceAnnotation } from '../../../../shared/topology/model/keys.ts';
import { workerVersion } from '../../../../shared/topology/upgrade/worker-version.ts';
import { isBlocking } from './hook-state.ts';
import type { ControlPlaneProgress, WorkerProgress } from './version-progress.ts';

type WorkerKind = 'MachineDeployment' | 'MachinePool';

/** Upstream's prefixes of a failure for one worker. The first prefix has upstream's spelling. */
const words = {
  MachineDeployment: { list: 'MachineDeployments', one: 'MachineDepoyment', plain: 'machine deployment' },
  MachinePool: { list: 'MachinePools', one: 'MachinePool', plain: 'machine pool' },
} as const;

export interface WorkerFacts {
  readonly kind: WorkerKind;
  readonly topologyVersion: string;
  /** The workers in the order of the topology. */
  readonly topologies: readonly { readonly name: string; readonly metadata: TemplateMetadata }[];
  /** Keys are topology names. */
  readonly current: ReadonlyMap<string, { readonly object: Unstructured }>;
  /** Contains names of objects. */
  readonly upgrading: ReadonlySet<string>;
  readonly plan: readonly string[];
  readonly concurrency: number;
  readonly controlPlane: ControlPlaneProgress;
  /** The responses of hooks in this pass. */
  readonly responses: HookResponses;
}

/** Fails if a worker may upgrade and no plan contains the next version. */
export function decideWorkers(facts: WorkerFacts): Checked<WorkerProgress> {
  const versions = new Map<string, string>();
  const upgrading = new Set(facts.upgrading);
  const pendingUpgrade = new Set<string>();
  const deferredUpgrade = new Set<string>();
  const pendingCreate = new Set<string>();
  for (const [index, topology] of facts.topologies.entries()) {
    const object = facts.current.get(topology.name)?.object;
    if (object === undefined) {
      versions.set(topology.name, facts.topologyVersion);
      if (isCreationHeld(facts)) {
        pendingCreate.add(topology.name);
      }
      continue;
    }
    const { name } = object.metadata;
    const step = decideOne(object, { facts, isDeferred: isDeferred(facts, index), upgradingCount: upgrading.size });
    if (!step.ok) {
      const { list, one } = words[facts.kind];
      return invalid(
        `failed to compute ${list}: failed to compute ${one} for topology "${topology.name}": ${step.error}`,
      );
    }
    const { state, version } = step.value;
    versions.set(topology.name, version);
    if (state === 'upgrading') {
      upgrading.add(name);
    }
    if (state === 'deferred') {
      deferredUpgrade.add(name);
    }
    if (state === 'deferred' || state === 'pending') {
      pendingUpgrade.add(name);
    }
  }
  return valid({ versions, upgrading, pendingUpgrade, deferredUpgrade, pendingCreate, upgradePlan: facts.plan });
}

interface Step {
  readonly state: 'there' | 'deferred' | 'pending' | 'upgrading';
  readonly version: string;
}

interface UpgradeProgress {
  readonly facts: WorkerFacts;
  readonly isDeferred: boolean;
  readonly upgradingCount: number;
}

function decideOne(object: Unstructured, { facts, isDeferred, upgradingCount }: UpgradeProgress): Checked<Step> {
  const version = workerVersion(object);
  if (version === facts.topologyVersion) {
    return valid({ state: 'there', version });
  }
  if (isDeferred) {
    return valid({ state: 'deferred', version });
  }
  if (isHeldByHooks(facts) || upgradingCount >= facts.concurrency || !isStableOrWaiting(facts.controlPlane)) {
    return valid({ state: 'pending', version });
  }
  const [next] = facts.plan;
  if (next === undefined) {
    const { plain } = words[facts.kind];
    return invalid(
      `cannot compute the ${plain} version if the ${plain} is pending upgrade and the upgrade plan is not set`,
    );
  }
  return valid(next === version ? { state: 'pending', version } : { state: 'upgrading', version: next });
}

/** New workers are created at the version of the topology, so the control plane must exist and be settled. */
function isCreationHeld(facts: WorkerFacts): boolean {
  return !isStable(facts.controlPlane) || isHeldByHooks(facts);
}

function isHeldByHooks({ responses }: WorkerFacts): boolean {
  return isBlocking({ responses }, afterControlPlaneUpgrade) || isBlocking({ responses }, beforeWorkersUpgrade);
}

/**
 * The worker is deferred by its own annotation, or by the annotation of an earlier worker, which blocks all later
 * workers.
 */
function isDeferred({ topologies }: WorkerFacts, index: number): boolean {
  const has = ({ metadata }: { readonly metadata: TemplateMetadata }, key: string): boolean =>
    Object.hasOwn(metadata.annotations, key);
  const own = topologies[index];
  return (
    (own !== undefined && has(own, deferUpgradeAnnotation)) ||
    topologies.slice(0, index + 1).some(topology => has(topology, holdUpgradeSequenceAnnotation))
  );
}

/** Returns true if no upgrade is in progress, starting or pending. */
export function isStable(controlPlane: ControlPlaneProgress): boolean {
  return !isMoving(controlPlane) && !controlPlane.isPendingUpgrade;
}

function isStableOrWaiting(controlPlane: ControlPlaneProgress): boolean {
  return isStable(controlPlane) || (controlPlane.isWaitingForWorkersUpgrade && !isMoving(controlPlane));
}

function isMoving({ isProvisioning, isUpgrading, isStartingUpgrade }: ControlPlaneProgress): boolean {
  return isProvisioning || isUpgrading || isStartingUpgrade;
}
