// The facts about one Machine that decide what its MachineSet does with it.
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { isFalse } from '@capi-serverless/cluster-api/conditions';
import { readMachine } from '../../../../shared/api/machine/reader.ts';
import { isUpdatingInPlace } from '../../../../shared/machine-collections/in-place-marks.ts';
import { pendingAcknowledgeMoveAnnotation } from '../../../../shared/machine-collections/keys.ts';

export interface MachineFacts {
  readonly name: string;
  readonly createdAt: Instant | undefined;
  readonly isDeleting: boolean;
  /** A user chose it to be deleted first. */
  readonly isChosen: boolean;
  readonly isUpdatingInPlace: boolean;
  /** It moved here, and the replicas do not include it yet. */
  readonly waitsForAcknowledgement: boolean;
  readonly hasNode: boolean;
  readonly isUnhealthy: boolean;
  /** Its health check failed, and its owner must replace it. */
  readonly mustBeRemediated: boolean;
}

const deleteMachineAnnotation = 'cluster.x-k8s.io/delete-machine';

export function toMachineFacts(object: Unstructured): MachineFacts {
  const { metadata, status } = readMachine(object);
  const { annotations = {} } = metadata;
  const isFailing = (type: string): boolean => isFalse(status.conditions, type);
  const hasNode = status.nodeRef.name !== '';
  return {
    name: metadata.name,
    createdAt: instantOf(metadata.creationTimestamp),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isChosen: deleteMachineAnnotation in annotations,
    isUpdatingInPlace: isUpdatingInPlace(annotations),
    waitsForAcknowledgement: pendingAcknowledgeMoveAnnotation in annotations,
    hasNode,
    isUnhealthy: !hasNode || isFailing('NodeHealthy') || isFailing('HealthCheckSucceeded'),
    mustBeRemediated: isFailing('HealthCheckSucceeded') && isFailing('OwnerRemediated'),
  };
}
