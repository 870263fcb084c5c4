// The common settings of Machine templates and of Machines in the topology of a Cluster.
import {
  choice,
  filledObject,
  filledText,
  int32,
  intOrString,
  type JsonSchema,
  listByKeys,
  object,
  time,
} from './json-schema.ts';
import { conditionType, labelValue, taintKey } from './name-schemas.ts';

/** Conditions that a summary condition includes in addition to the built-in ones. */
export function gates(description: string): JsonSchema {
  const gate = object(
    'One condition to take into account.',
    {
      conditionType: conditionType('Type of the condition.'),
      polarity: choice('Which status is the good one: True for Positive, False for Negative. Default Positive.', [
        'Positive',
        'Negative',
      ]),
    },
    { required: ['conditionType'] },
  );
  return listByKeys(description, ['conditionType'], gate, { minItems: 1, maxItems: 32 });
}

const taint = object(
  'A taint that the Node carries.',
  {
    key: taintKey('Taint key.'),
    value: labelValue('Taint value.'),
    effect: choice('What happens to Pods that do not tolerate the taint.', [
      'NoSchedule',
      'PreferNoSchedule',
      'NoExecute',
    ]),
    propagation: choice('Whether the taint is kept on the Node, or set only when the Node starts.', [
      'Always',
      'OnInitialization',
    ]),
  },
  { required: ['key', 'effect', 'propagation'] },
);

export const taints = listByKeys('Taints of the Nodes.', ['key', 'effect'], taint, { minItems: 1, maxItems: 64 });

const nodeTimeouts = {
  nodeDrainTimeoutSeconds: int32('How long draining a Node may take; 0 means without limit.', { minimum: 0 }),
  nodeVolumeDetachTimeoutSeconds: int32('How long to wait for volumes to be detached; 0 means without limit.', {
    minimum: 0,
  }),
  nodeDeletionTimeoutSeconds: int32('How long to try to delete the Node object; 0 means without limit.', {
    minimum: 0,
  }),
};

const deletionText = 'How Machines are deleted.';

export const machineDeletion = filledObject(deletionText, nodeTimeouts);

const deletionOrder = choice('Which Machines are deleted first when scaling down.', ['Random', 'Newest', 'Oldest']);

/** Deletion settings of a topology's MachineDeployment: the timeouts and the order. */
export const orderedMachineDeletion = filledObject(deletionText, { order: deletionOrder, ...nodeTimeouts });

/** Deletion settings of a MachineDeployment or MachineSet itself. */
export const collectionDeletion = filledObject(deletionText, { order: deletionOrder });

export const minReadySeconds = int32('How long a Machine must be ready before it counts as available.', { minimum: 0 });

export function failureDomain(description: string): JsonSchema {
  return filledText(description, 256);
}

export function kubernetesVersion(description: string): JsonSchema {
  return filledText(description, 256);
}

export const rolloutAfter = time('Machines older than this time are replaced once it has passed.');

/** The strategy by which a MachineDeployment replaces Machines. */
export const rolloutStrategy = filledObject(
  'How Machines are replaced.',
  {
    type: choice('RollingUpdate replaces Machines step by step; OnDelete replaces those that a user deletes.', [
      'RollingUpdate',
      'OnDelete',
    ]),
    rollingUpdate: filledObject('Limits of a rolling update.', {
      maxUnavailable: intOrString('How many Machines may be missing during the update: a number or a percentage.'),
      maxSurge: intOrString('How many Machines may exist in addition during the update: a number or a percentage.'),
    }),
  },
  { required: ['type'] },
);

export const maxInFlight = intOrString('How many Machines may be remediated at a time: a number or a percentage.');
