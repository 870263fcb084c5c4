// What a ClusterResourceSet waits for, and the remedies. Derived from its conditions.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { conditionOf, type Wait } from '../../../shared/explain/conditions.ts';
import { annotate } from '../../../shared/explain/kubectl.ts';

/** Without ResourcesApplied, no Cluster has matched yet, and nothing is waited for. */
export function waitOfResourceSet(object: Unstructured): Wait | undefined {
  const paused = conditionOf(object, 'Paused');
  if (paused === undefined) {
    return { until: 'its first reconcile', condition: undefined };
  }
  if (paused.status === 'True') {
    return { until: 'its pause to end', condition: paused };
  }
  const applied = conditionOf(object, 'ResourcesApplied');
  return applied === undefined || applied.status === 'True'
    ? undefined
    : { until: 'its resources to be applied', condition: applied };
}

export function remediesOfResourceSet(object: Unstructured, { condition }: Wait): readonly string[] {
  const { namespace = '', name } = object.metadata;
  switch (condition?.type) {
    case 'Paused':
      return [`remove the annotation: ${annotate(object, `${pausedAnnotation}-`)}`];
    case 'ResourcesApplied':
      return [
        `see what each object reports: npx capi-serverless plan clusterresourceset ${namespace}/${name}`,
        `see what was applied to which Cluster: kubectl get clusterresourcesetbindings -n ${namespace} -o yaml`,
      ];
    default:
      return ['see whether the functions run, and the error in the log of function clusterresourceset'];
  }
}
