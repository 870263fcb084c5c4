// Schemas of common status fields: conditions, their deprecated form, and counters.
import {
  atomicList,
  choice,
  filledText,
  int32,
  int64,
  type JsonSchema,
  listByKeys,
  object,
  text,
  time,
} from './json-schema.ts';
import { conditionTypePattern } from './name-schemas.ts';

const conditionStatuses = ['True', 'False', 'Unknown'];

const condition = object(
  'One observation about the object.',
  {
    type: text('What is observed.', { maxLength: 316, pattern: conditionTypePattern }),
    status: choice('Status of the condition.', conditionStatuses),
    observedGeneration: int64('The observed metadata.generation.', { minimum: 0 }),
    lastTransitionTime: time('When the status changed last.'),
    reason: filledText('The reason, as one word.', 1024, {
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: text('The reason, as a sentence; may be empty.', { maxLength: 32768 }),
  },
  { required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'] },
);

export const conditions = listByKeys('Observations, one item per type.', ['type'], condition, { maxItems: 32 });

const deprecatedCondition = object(
  'One observation in the form of API version v1beta1.',
  {
    type: filledText('What is observed.', 256),
    status: text('True, False or Unknown.'),
    severity: text('Error, Warning or Info, when the status is False.', { maxLength: 32 }),
    lastTransitionTime: time('When the status changed last.'),
    reason: filledText('The reason, as one word.', 256),
    message: filledText('The reason, as a sentence.', 10240),
  },
  { required: ['type', 'status', 'lastTransitionTime'] },
);

/** Conditions in the form of API version v1beta1. */
const deprecatedConditions: JsonSchema = {
  type: 'array',
  description: 'Conditions in the form of API version v1beta1.',
  items: deprecatedCondition,
};

/** Failure fields of API version v1beta1. No controller reads them. */
export const deprecatedFailure = {
  failureReason: text('A failure that was reported, as one word.'),
  failureMessage: filledText('A failure that was reported, as a sentence.', 10240),
};

/** `status.deprecated`: fields for clients of API version v1beta1. */
export function deprecated(fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object('Fields of API version v1beta1; removed with it.', {
    v1beta1: object('Fields of API version v1beta1.', { conditions: deprecatedConditions, ...fields }),
  });
}

export const observedGeneration = int64('The metadata.generation of the last finished reconcile.', {
  minimum: 1,
});

/** The numbers of Machines by condition. */
export const machineCounters = {
  replicas: int32('Machines that exist.'),
  readyReplicas: int32('Machines whose Ready condition is True.'),
  availableReplicas: int32('Machines whose Available condition is True.'),
  upToDateReplicas: int32('Machines whose UpToDate condition is True.'),
};

const versionCount = object(
  'How many Machines run one version.',
  {
    version: filledText('Kubernetes version.', 256),
    replicas: int32('Machines that run it.', { minimum: 1 }),
  },
  { required: ['version'] },
);

const versionsText = 'Kubernetes versions in use, with the number of Machines of each.';

/** The versions in use, in the form of Cluster. */
export const versionList = atomicList(versionsText, versionCount, { minItems: 1, maxItems: 32 });

/** The versions in use, in the form of MachineSet, MachineDeployment and MachinePool. */
export const versionsByKey = listByKeys(versionsText, ['version'], versionCount, { minItems: 1, maxItems: 100 });

/** The selector in text form, for the scale subresource. */
export const scaleSelector = filledText('The selector in text form, for the scale subresource.', 4096);
