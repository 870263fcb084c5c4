// The infrastructure phase: whether the pool is provisioned, the ids of its machines and their number.
import { toAggregateText, toDisplayName } from '@capi-serverless/apimachinery';
import {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  type V1Beta1Fallback,
  v1Beta1False,
} from '@capi-serverless/cluster-api/conditions';
import {
  readPoolProvisioned,
  readPoolReplicas,
  readProviderIdList,
  valueOr,
} from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { ContractReference } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import { failureOfObject, type InScope } from '../../../shared/external/external.ts';
import type { ObservedPool } from '../seen.ts';
import { missingError, namedPool, phaseProblems } from './externals.ts';
import { noClient, type PoolChange, whenDown } from './pool-progress.ts';

const type = 'InfrastructureReady';

/** The changes of the phase, in order. The later phases use their values. */
export function infrastructureChanges(seen: ObservedPool): readonly PoolChange[] {
  const { pool, externals } = seen;
  const { scoped, error } = externals.infrastructure;
  switch (scoped.state) {
    case 'undefined':
      return [failed('failed to get object from ref: object reference not set')];
    case 'missing':
      return [whenMissing(scoped.ref, pool)];
    case 'unknown':
      return [failed(error)];
    case 'inScope':
      return fromObject(scoped, seen);
  }
}

function failed(error: string): PoolChange {
  return { errors: [`${phaseProblems.infrastructure}: ${error}`] };
}

function whenMissing(ref: ContractReference, pool: WholeMachinePool): PoolChange {
  const { kind, name } = ref;
  const { namespace } = pool.metadata;
  const lost = `MachinePool infrastructure resource ${kind} ${toDisplayName({ namespace, name })}`;
  return {
    ...failed(missingError(ref, pool)),
    v1beta1: [
      v1Beta1False(type, {
        reason: 'IncorrectExternalRef',
        severity: 'Error',
        message: `could not find infra reference of kind ${kind} with name ${name}`,
      }),
    ],
    ...(pool.status.initialization.infrastructureProvisioned === true
      ? {
          failure: {
            failureReason: 'InvalidConfiguration',
            failureMessage: `${lost} has been deleted after being ready`,
          },
        }
      : {}),
  };
}

function fromObject({ object, contract }: InScope, seen: ObservedPool): readonly PoolChange[] {
  const failure = failureOfObject(object);
  if (isDeleting(object)) {
    return [{ failure }];
  }
  const provisioned = readPoolProvisioned(object, contract);
  if (provisioned.state === 'wrongType') {
    const { apiVersion, kind, metadata } = object;
    const named = `${apiVersion}, Kind=${kind} "${metadata.name}"`;
    return [{ failure, ...failed(`failed to determine ${named} readiness: ${provisioned.error}`) }];
  }
  const isProvisioned = valueOr(provisioned, false);
  const fallback: V1Beta1Fallback = isProvisioned
    ? { value: true }
    : { value: false, reason: 'WaitingForInfrastructure', severity: 'Info' };
  const change: PoolChange = {
    failure,
    infrastructureProvisioned: isProvisioned,
    v1beta1: [mirrorV1Beta1Ready(readV1Beta1Conditions(object), type, fallback)],
  };
  const problem = problemOf(seen);
  if (problem !== undefined) {
    return [change, problem];
  }
  return isProvisioned ? [change, ...machineValues(object, seen.pool)] : [change];
}

/** The Nodes or the Machines of the pool could not be read. Their number is not taken over then. */
function problemOf({ pool, cluster, members, nodes }: ObservedPool): PoolChange | undefined {
  if (nodes.state === 'down') {
    return whenDown(cluster, `${phaseProblems.infrastructure}: ${noClient}`);
  }
  const name = toDisplayName(pool.metadata);
  const errors = [
    ...(members.state === 'failed' ? [`failed to reconcile Machines for MachinePool ${name}: ${members.error}`] : []),
    ...(nodes.state === 'failed' ? [`failed to get nodeRefs for MachinePool ${name}: ${nodes.error}`] : []),
  ];
  return errors.length === 0 ? undefined : failed(toAggregateText(errors));
}

function machineValues(object: InScope['object'], pool: WholeMachinePool): readonly PoolChange[] {
  const ids = readProviderIdList(object);
  const of = `from infrastructure provider for ${namedPool(pool)}`;
  if (ids.state === 'wrongType') {
    return [failed(`failed to retrieve data ${of}: ${ids.error}`)];
  }
  const reported = readPoolReplicas(object);
  if (reported.state === 'wrongType') {
    return [failed(`failed to retrieve replicas ${of}: ${reported.error}`)];
  }
  const replicas = valueOr(reported, pool.status.replicas);
  const list = valueOr(ids, []);
  const isSame = list.length === pool.spec.providerIDList.length && list.every(isStoredAt(pool));
  if (isSame || (list.length === 0 && (replicas ?? 0) !== 0)) {
    return [{ replicas }];
  }
  // The Nodes of the new list are counted by a later phase.
  const nodeCounts = { readyReplicas: 0, availableReplicas: 0, unavailableReplicas: replicas ?? 0 };
  return [{ replicas, spec: { providerIDList: list }, nodeCounts }];
}

function isStoredAt({ spec }: WholeMachinePool): (id: string, index: number) => boolean {
  return (id, index) => id === spec.providerIDList[index];
}
