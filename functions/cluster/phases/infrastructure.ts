// The infrastructure phase: from the infrastructure cluster object the Cluster takes endpoint, failure domains and
// "provisioned", which is never taken back.

import { mirrorV1Beta1Ready, readV1Beta1Conditions, v1Beta1True } from '../../../shared/conditions/v1beta1.ts';
import { readFailureDomains, readProvisioned } from '../../../shared/contract/infra-cluster.ts';
import { valueOr } from '../../../shared/contract/path.ts';
import { mergeFailure, readyFallback, retrievalError, takeEndpoint, withMissing } from './external.ts';
import { isDeleting } from './gate.ts';
import { type InScope, type PhaseContext, type Progress, withError, withEvent, withV1Beta1 } from './scope.ts';

const readyType = 'InfrastructureReady';

/** A Cluster that names no infrastructure counts as provisioned, unless it is being deleted. */
export function infrastructurePhase(context: PhaseContext, progress: Progress): Progress {
  const { infrastructure, seen, now } = context;
  switch (infrastructure.state) {
    case 'undefined':
      return isDeleting(seen.cluster)
        ? progress
        : withV1Beta1({ ...progress, infrastructureProvisioned: true }, v1Beta1True(readyType), now);
    case 'missing':
      return withMissing(context, progress, {
        kind: infrastructure.ref.kind,
        achieved: progress.infrastructureProvisioned ? 'provisioned' : undefined,
      });
    case 'unknown':
      return withError(progress, infrastructure.error);
    case 'inScope':
      return withObject(
        context,
        { ...progress, failure: mergeFailure(progress.failure, infrastructure) },
        infrastructure,
      );
  }
}

function withObject(context: PhaseContext, before: Progress, infrastructure: InScope): Progress {
  const { seen, now } = context;
  const { object, contract } = infrastructure;
  const found = readProvisioned(object, contract);
  if (found.state === 'wrongType') {
    return withError(before, found.error);
  }
  const provisioned = valueOr(found, false);
  const fallback = readyFallback(seen.cluster, provisioned, 'WaitingForInfrastructure');
  const ready = mirrorV1Beta1Ready(readV1Beta1Conditions(object), readyType, fallback);
  const progress = withV1Beta1(before, ready, now);
  const isIdle = !provisioned && !progress.infrastructureProvisioned;
  return object.metadata.deletionTimestamp !== undefined || isIdle
    ? progress
    : withReported(context, progress, infrastructure);
}

/** Endpoint, failure domains, provisioned: each is kept even when a later one cannot be read. */
function withReported({ seen }: PhaseContext, before: Progress, infrastructure: InScope): Progress {
  const { cluster } = seen;
  const endpoint = takeEndpoint('infrastructure', infrastructure, { cluster, before: before.endpoint });
  if (!endpoint.ok) {
    return withError(before, endpoint.error);
  }
  const progress = { ...before, endpoint: endpoint.value };
  const domains = readFailureDomains(infrastructure.object, infrastructure.contract);
  if (domains.state === 'wrongType') {
    return withError(
      progress,
      retrievalError('status.failureDomains', 'infrastructure', { cluster, error: domains.error }),
    );
  }
  const provisioned = { ...progress, failureDomains: valueOr(domains, []), infrastructureProvisioned: true };
  return progress.infrastructureProvisioned
    ? provisioned
    : withEvent(
        provisioned,
        'InfrastructureReady',
        `Cluster ${cluster.metadata.name} InfrastructureProvisioned is now True`,
      );
}
