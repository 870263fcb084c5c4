// The rules of the infrastructure phase. It reads the endpoint, the failure domains and provisioned from the infrastructure cluster
// object. Provisioned is never reset.

import { invalid, valid } from '@capi-serverless/apimachinery';
import { v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { readFailureDomains, readProvisioned, valueOr } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import { type ExternalRules, retrievalError } from './external.ts';

const readyType = 'InfrastructureReady';

export const infrastructureRules: ExternalRules = {
  field: 'infrastructureProvisioned',
  achievement: 'provisioned',
  readAchieved: readProvisioned,
  ready: { type: readyType, waitingReason: 'WaitingForInfrastructure' },
  event: { reason: 'InfrastructureReady', subject: 'InfrastructureProvisioned' },
  /** A Cluster without an infrastructure reference is provisioned, unless it is being deleted. */
  withoutObject: cluster =>
    isDeleting(cluster) ? {} : { infrastructureProvisioned: true, v1beta1: [v1Beta1True(readyType)] },
  conditions: () => [],
  take: ({ object, contract }, cluster) => {
    const domains = readFailureDomains(object, contract);
    return domains.state === 'wrongType'
      ? invalid(retrievalError('status.failureDomains', 'infrastructure', { cluster, error: domains.error }))
      : valid({ failureDomains: valueOr(domains, []) });
  },
};
