// What a MachineHealthCheck waits for: the wait, the tree of its Machines, and the remedies. Derived from conditions of the
// management cluster. Nodes are not read.
import { type Answer, answered, toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';
import { type ConditionView, conditionOf, toWhy, type Wait } from '../../../shared/explain/conditions.ts';
import { toExplanation } from '../../../shared/explain/explanation.ts';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { annotate } from '../../../shared/explain/kubectl.ts';
import { viewHealthCheck, viewObject } from '../../../shared/explain/object-view.ts';
import type { ObjectNode } from '../../../shared/explain/tree.ts';

/** Returns the first cause for which a MachineHealthCheck waits, or `undefined` if its Machines are healthy. */
export function waitOfHealthCheck(object: Unstructured): Wait | undefined {
  const paused = conditionOf(object, 'Paused');
  if (paused === undefined) {
    return { until: 'its first reconcile', condition: undefined };
  }
  if (paused.status === 'True') {
    return { until: 'its pause to end', condition: paused };
  }
  const allowed = conditionOf(object, 'RemediationAllowed');
  if (allowed !== undefined && allowed.status !== 'True') {
    return { until: 'fewer unhealthy Machines', condition: allowed };
  }
  const [healthy, expected] = ['currentHealthy', 'expectedMachines'].map(field => valueAt(object.status, field));
  return healthy === expected ? undefined : { until: 'its Machines to be healthy', condition: undefined };
}

/** Never fails: Machines that cannot be read are not shown. */
export async function describeHealthCheck(
  object: Unstructured,
  { reads }: Pick<Describing, 'reads'>,
): Promise<Answer<Description>> {
  const { metadata, spec } = readHealthCheck(object);
  const { namespace } = metadata;
  const wait = waitOfHealthCheck(object);
  const named = valueAt(object.status, 'targets');
  const targets = new Set(Array.isArray(named) ? named : []);
  const [cluster, listed] = await Promise.all([
    reads.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name: spec.clusterName }),
    reads.list({
      apiVersion: clusterApiVersion,
      kind: 'Machine',
      namespace,
      labels: { [clusterNameLabel]: spec.clusterName },
    }),
  ]);
  const machines = (listed.ok ? listed.value : []).filter(machine => targets.has(machine.metadata.name));
  const check: ObjectNode = {
    name: `MachineHealthCheck/${metadata.name}`,
    ...viewHealthCheck(object),
    children: machines.map(toMachineNode),
  };
  const name = toDisplayName({ namespace, name: spec.clusterName });
  const root: ObjectNode = cluster.ok
    ? { name, ...viewObject(cluster.value, ['Available']), children: [check] }
    : { name, mark: 'missing', detail: 'Cluster cannot be read', children: [check] };
  return answered({
    tree: shown => ({ ...root, children: [{ ...check, children: shown(check.children) }] }),
    explanation: wait && toExplanation(wait, { pointsTo: pointersOf(machines), remedies: remediesOf(object, wait) }),
  });
}

/** A Machine without the condition was not judged yet, or waits for a timeout. */
function toMachineNode(machine: Unstructured): ObjectNode {
  const name = `Machine/${machine.metadata.name}`;
  const checked = conditionOf(machine, 'HealthCheckSucceeded');
  if (checked === undefined) {
    return { name, mark: 'unknown', detail: 'not judged yet', children: [] };
  }
  return checked.status === 'True'
    ? { name, mark: 'ready', detail: '', children: [] }
    : { name, mark: 'failing', detail: [toWhy(checked), ...progressOf(machine)].join('  '), children: [] };
}

/** The remediation by the owner, or by an external controller. */
function progressOf(machine: Unstructured): readonly string[] {
  return ['OwnerRemediated', 'ExternallyRemediated']
    .map(type => conditionOf(machine, type))
    .filter((condition): condition is ConditionView => condition !== undefined)
    .map(condition => `${condition.type}: ${toWhy(condition)}`);
}

/** The maximum number of Machines in an explanation. */
const mostNamed = 3;

function pointersOf(machines: readonly Unstructured[]): readonly string[] {
  return machines
    .flatMap(machine => {
      const checked = conditionOf(machine, 'HealthCheckSucceeded');
      return checked === undefined || checked.status === 'True'
        ? []
        : [`Machine ${machine.metadata.name}, ${[toWhy(checked), ...progressOf(machine)].join(', ')}`];
    })
    .slice(0, mostNamed);
}

function remediesOf(object: Unstructured, { condition }: Wait): readonly string[] {
  const { metadata, spec } = readHealthCheck(object);
  const { namespace, name } = metadata;
  switch (condition?.type) {
    case 'Paused':
      return [
        `unset spec.paused of its Cluster, if it is set: kubectl get cluster -n ${namespace} ${spec.clusterName}`,
        ...(pausedAnnotation in metadata.annotations
          ? [`remove the annotation: ${annotate(object, `${pausedAnnotation}-`)}`]
          : []),
      ];
    case 'RemediationAllowed':
      return [
        `see why so many Machines are not healthy: kubectl get machines -n ${namespace} -l ${clusterNameLabel}=${spec.clusterName}`,
        `to allow more remediations, raise the limit below spec.remediation.triggerIf: kubectl edit machinehealthcheck -n ${namespace} ${name}`,
      ];
    default:
      return [
        'see whether the functions run, and the error in the log of function machinehealthcheck',
        `see what its Cluster reports: npx capi-serverless why ${toDisplayName({ namespace, name: spec.clusterName })}`,
      ];
  }
}
