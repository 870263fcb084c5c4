// Definition of MachineDrainRule (cluster.x-k8s.io/v1beta2).
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, column, toDefinition } from '../schema/definition.ts';
import { atomicList, choice, filledObject, int32, type JsonSchema, object } from '../schema/json-schema.ts';
import { labelSelector } from '../schema/metadata-schemas.ts';

/** A list of at most 32 different selectors. */
function selectors(name: string, description: string, selector: JsonSchema): JsonSchema {
  return {
    ...atomicList(description, selector, { minItems: 1, maxItems: 32 }),
    'x-kubernetes-validations': [
      { rule: 'self.all(x, self.exists_one(y, x == y))', message: `entries in ${name} must be unique` },
    ],
  };
}

const spec = object(
  'How Pods are treated while the Nodes of Machines are drained.',
  {
    drain: object(
      'What the drain does with the Pods.',
      {
        behavior: choice('Drain evicts the Pods, Skip leaves them, WaitCompleted waits until they are completed.', [
          'Drain',
          'Skip',
          'WaitCompleted',
        ]),
        order: int32('Pods of a lower order are evicted before Pods of a higher order. Only for Drain; 0 by default.'),
      },
      { required: ['behavior'] },
    ),
    machines: selectors(
      'machines',
      'The Machines of the rule. Without selectors, all Machines of the namespace.',
      filledObject('Machines that both selectors select.', {
        selector: labelSelector('Selects Machines by their labels.'),
        clusterSelector: labelSelector('Selects Machines by the labels of their Clusters.'),
      }),
    ),
    pods: selectors(
      'pods',
      'The Pods of the rule. Without selectors, all Pods.',
      filledObject('Pods that both selectors select.', {
        selector: labelSelector('Selects Pods by their labels.'),
        namespaceSelector: labelSelector('Selects Pods by the labels of their Namespaces.'),
      }),
    ),
  },
  { required: ['drain'] },
);

export const machineDrainRuleCrd = toDefinition({
  description: 'Says which Pods a drain evicts, skips or waits for.',
  group: coreGroup,
  version: coreVersion,
  kind: 'MachineDrainRule',
  labels: coreLabels,
  required: ['metadata', 'spec'],
  spec,
  columns: [column('Behavior', '.spec.drain.behavior'), column('Order', '.spec.drain.order'), ageColumn],
});
