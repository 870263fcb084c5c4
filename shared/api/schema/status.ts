// What the status of every kind shares: conditions, their deprecated form, counters.
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
import { conditionTypePattern } from './names.ts';

const conditionStatuses = ['True', 'False', 'Unknown'];

const condition = object(
  'One observation about the object.',
  {
    type: text('What is observed.', { maxLength: 316, pattern: conditionTypePattern }),
    status: choice('Whether it holds.', conditionStatuses),
    observedGeneration: int64('The metadata.generation that was looked at.', { minimum: 0 }),
    lastTransitionTime: time('When the status changed last.'),
    reason: filledText('Why, as one word for programs.', 1024, {
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: text('Why, in words for people; may be empty.', { maxLength: 32768 }),
  },
  { required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'] },
);

export const conditions = listByKeys('What was observed, one item per type.', ['type'], condition, { maxItems: 32 });

const deprecatedCondition = object(
  'One observation in the form of API version v1beta1.',
  {
    type: filledText('What is observed.', 256),
    status: text('True, False or Unknown.'),
    severity: text('Error, Warning or Info, when the status is False.', { maxLength: 32 }),
    lastTransitionTime: time('When the status changed last.'),
    reason: filledText('Why, as one word for programs.', 256),
    message: filledText('Why, in words for people.', 10240),
  },
  { required: ['type', 'status', 'lastTransitionTime'] },
);

/** Conditions as kinds of API version v1beta1 have them. */
const deprecatedConditions: JsonSchema = {
  type: 'array',
  description: 'Conditions in the form of API version v1beta1.',
  items: deprecatedCondition,
};

/** Failure fields of API version v1beta1; nothing acts on them any more. */
export const deprecatedFailure = {
  failureReason: text('A failure that was reported, as one word.'),
  failureMessage: filledText('A failure that was reported, in words.', 10240),
};

/** `status.deprecated`: what readers of API version v1beta1 still look for. */
export function deprecated(fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object('What API version v1beta1 showed; goes away with it.', {
    v1beta1: object('Fields of API version v1beta1.', { conditions: deprecatedConditions, ...fields }),
  });
}

export const observedGeneration = int64('The metadata.generation that the last finished reconcile looked at.', {
  minimum: 1,
});

/** Counters of Machines by their conditions. */
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

/** Versions in use, as Cluster reports them. */
export const versionList = atomicList(versionsText, versionCount, { minItems: 1, maxItems: 32 });

/** Versions in use, as the Machine collections report them. */
export const versionsByKey = listByKeys(versionsText, ['version'], versionCount, { minItems: 1, maxItems: 100 });

/** Selector in text form, for the scale subresource. */
export const scaleSelector = filledText('The selector in text form, for the scale subresource.', 4096);
