// Either the topology or an autoscaler sets the number of Machines. Both together are refused.
import { type FieldError, invalidValue, quote } from '@capi-serverless/apimachinery';

interface Annotated {
  readonly class: string;
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
}

interface ScaledCluster {
  readonly name: string;
  readonly namespace: string;
  readonly topology: {
    readonly workers: {
      readonly machineDeployments: readonly (Annotated & {
        readonly name: string;
        readonly replicas?: number | undefined;
      })[];
    };
  };
}

const nodeGroup = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
export const minSizeAnnotation = `${nodeGroup}-min-size`;
export const maxSizeAnnotation = `${nodeGroup}-max-size`;
const autoscalerAnnotations = [minSizeAnnotation, maxSizeAnnotation];

/** `classes` contains the MachineDeployment classes of the ClusterClass. Empty if the ClusterClass is not known. */
export function problemsOfAutoscaling(
  { name, namespace, topology }: ScaledCluster,
  classes: readonly Annotated[],
): readonly FieldError[] {
  return topology.workers.machineDeployments.flatMap(each => {
    const { replicas } = each;
    if (replicas === undefined) {
      return [];
    }
    const field = `spec.topology.workers.machineDeployments[${each.name}].replicas`;
    const refuse = (why: string) =>
      invalidValue(
        field,
        replicas,
        `cannot be set for cluster ${quote(name)} in namespace ${quote(namespace)} if ${why}`,
      );
    return [
      ...(isAutoscaled(each) ? [refuse('the same MachineDeploymentTopology has autoscaler annotations')] : []),
      ...classes
        .filter(one => one.class === each.class && isAutoscaled(one))
        .map(() =>
          refuse(`the source class ${quote(each.class)} of this MachineDeploymentTopology has autoscaler annotations`),
        ),
    ];
  });
}

function isAutoscaled({ metadata }: Annotated): boolean {
  return autoscalerAnnotations.some(name => Object.hasOwn(metadata.annotations, name));
}
