// The numbers of a MachineSet for the planner. Counters of its status can be older than the Machines that were read.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
import type { SetCounts } from './rollout/set-counts.ts';

/** Counts more Machines, and fewer available ones, if status and Machines differ. */
export function countsOf({ metadata, spec, status }: WholeMachineSet, machines: readonly WholeMachine[]): SetCounts {
  const own = machines.filter(machine => isControlledBy(machine, metadata.uid));
  const available = own.filter(machine => isTrue(machine.status.conditions, 'Available')).length;
  return {
    name: metadata.name,
    createdAt: createdAt(metadata),
    spec: spec.replicas ?? 0,
    status: Math.max(status.replicas ?? 0, own.length),
    available: Math.min(status.availableReplicas ?? 0, available),
    upToDate: status.upToDateReplicas ?? 0,
  };
}

function createdAt({ creationTimestamp }: { readonly creationTimestamp?: string }): Instant {
  return instantOf(creationTimestamp) ?? 0;
}
