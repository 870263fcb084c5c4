// The bootstrap phase: the name of the Secret with the bootstrap data. Another bootstrap config replaces it.
import {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  type V1Beta1Fallback,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import { readDataSecretCreated, readDataSecretName, valueOr } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import { failureOfObject, type InScope } from '../../../shared/external/external.ts';
import type { ObservedPool } from '../seen.ts';
import { missingError, namedPool, phaseProblems } from './externals.ts';
import type { PoolChange, PoolPhase } from './pool-progress.ts';

const type = 'BootstrapReady';

export function bootstrapPhase({ pool, externals }: Pick<ObservedPool, 'pool' | 'externals'>): PoolPhase {
  const { scoped, error, needs, actions } = externals.bootstrap;
  switch (scoped.state) {
    case 'undefined':
      return { actions, steps: [{ change: withoutConfig(pool) }] };
    case 'missing':
      return { actions, steps: [{ change: failed(missingError(scoped.ref, pool)) }] };
    case 'unknown':
      return { actions, steps: [{ change: failed(error) }] };
    case 'inScope':
      return { actions, steps: [{ change: fromConfig(scoped, pool), needs }] };
  }
}

function failed(error: string): PoolChange {
  return { errors: [`${phaseProblems.bootstrap}: ${error}`] };
}

/** A user may provide the Secret. */
function withoutConfig(pool: WholeMachinePool): PoolChange {
  return pool.spec.template.spec.bootstrap.dataSecretName === undefined
    ? failed(`neither .spec.bootstrap.configRef nor .spec.bootstrap.dataSecretName are set for ${namedPool(pool)}`)
    : { bootstrapDataSecretCreated: true, v1beta1: [v1Beta1True(type)] };
}

function fromConfig({ object, contract }: InScope, pool: WholeMachinePool): PoolChange {
  const failure = failureOfObject(object);
  if (isDeleting(object)) {
    return { failure };
  }
  const created = readDataSecretCreated(object, contract);
  if (created.state === 'wrongType') {
    return { failure, ...failed(created.error) };
  }
  const isCreated = valueOr(created, false);
  const fallback: V1Beta1Fallback = isCreated
    ? { value: true }
    : { value: false, reason: 'WaitingForDataSecret', severity: 'Info' };
  const change = { failure, v1beta1: [mirrorV1Beta1Ready(readV1Beta1Conditions(object), type, fallback)] };
  if (!isCreated) {
    return { ...change, bootstrapDataSecretCreated: false };
  }
  const name = readDataSecretName(object);
  if (name.state === 'value') {
    return { ...change, bootstrapDataSecretCreated: true, spec: { dataSecretName: name.value } };
  }
  const cause = name.state === 'absent' ? 'path .status.dataSecretName: field not found' : name.error;
  return {
    ...change,
    ...failed(`failed to retrieve dataSecretName from bootstrap provider for ${namedPool(pool)}: ${cause}`),
  };
}
