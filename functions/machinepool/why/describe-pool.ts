// What a MachinePool waits for, and the remedies. Derived from its status. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { getCondition, pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { readWholeMachinePool, type WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import { conditionOf, type Wait } from '../../../shared/explain/conditions.ts';
import { annotate } from '../../../shared/explain/kubectl.ts';

/** Returns the cause for which a MachinePool waits, or `undefined` if all its replicas are ready. */
export function waitOfPool(object: Unstructured): Wait | undefined {
  const paused = conditionOf(object, 'Paused');
  if (paused === undefined) {
    return { until: 'its first reconcile', condition: undefined };
  }
  if (paused.status === 'True') {
    return { until: 'its pause to end', condition: paused };
  }
  const pool = readWholeMachinePool(object);
  if (isDeleting(pool)) {
    return { until: 'its bootstrap config and its infrastructure to be deleted', condition: undefined };
  }
  const until = untilOf(pool);
  return until === undefined ? undefined : { until, condition: undefined };
}

function untilOf({ status, spec }: WholeMachinePool): string | undefined {
  const isFalse = (type: string): boolean =>
    getCondition(status.deprecated.v1beta1.conditions, type)?.status === 'False';
  if (isFalse('BootstrapReady')) {
    return 'its bootstrap data';
  }
  if (status.initialization.infrastructureProvisioned !== true || isFalse('InfrastructureReady')) {
    return 'its infrastructure to be provisioned';
  }
  const { readyReplicas } = status.deprecated.v1beta1;
  const wanted = spec.replicas ?? 0;
  return readyReplicas === wanted ? undefined : `${wanted} ready Nodes; it has ${readyReplicas}`;
}

export function remediesOfPool(object: Unstructured, { condition }: Wait): readonly string[] {
  const { metadata, spec } = readWholeMachinePool(object);
  const { namespace } = metadata;
  if (condition?.type === 'Paused') {
    return [
      `unset spec.paused of its Cluster, if it is set: kubectl get cluster -n ${namespace} ${spec.clusterName}`,
      ...(pausedAnnotation in metadata.annotations
        ? [`remove the annotation: ${annotate(object, `${pausedAnnotation}-`)}`]
        : []),
    ];
  }
  const { bootstrap, infrastructureRef } = spec.template.spec;
  return [bootstrap.configRef, infrastructureRef]
    .filter(({ kind }) => kind !== '')
    .map(
      ({ apiGroup, kind, name }) =>
        `see what its provider reports: kubectl get ${kind}.${apiGroup} -n ${namespace} ${name} -o yaml`,
    );
}
