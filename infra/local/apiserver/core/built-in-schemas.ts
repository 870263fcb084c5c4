// The members of the built-in kinds, as far as they are told apart: others are dropped.

const text = { type: 'string' };
/** A value that is null is an empty one, as wherever Go reads a text. */
const texts = { type: 'object', additionalProperties: { ...text, default: '' } };
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** `metav1.Time` is written as null when it is not set. */
const time = { type: 'string', format: 'date-time', nullable: true, default: null };
/** `metav1.MicroTime` has six digits after the point, no more and no fewer. */
const microTime = { ...time, pattern: '\\.\\d{6}(Z|[+-]\\d{2}:\\d{2})$' };
const reference = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    resourceVersion: text,
    fieldPath: text,
  },
};

function root(properties: object): object {
  return { type: 'object', properties };
}

export const namespaceSchema = root({
  spec: { type: 'object', properties: { finalizers: { type: 'array', items: text } } },
  status: { type: 'object', properties: { phase: text, conditions: { type: 'array', items: free } } },
});

const immutable = { type: 'boolean' };

export const secretSchema = root({ data: texts, stringData: texts, type: text, immutable });

export const configMapSchema = root({ data: texts, binaryData: texts, immutable });

const count = { type: 'integer', format: 'int32' };
const source = { type: 'object', default: {}, properties: { component: text, host: text } };
const eventReference = { ...reference, default: {} };

/** Events in the shape of `v1`, in which they are stored; what is not omitted when empty has a default. */
export const eventSchema = root({
  involvedObject: eventReference,
  reason: text,
  message: text,
  source,
  firstTimestamp: time,
  lastTimestamp: time,
  count,
  type: text,
  eventTime: microTime,
  series: { type: 'object', properties: { count, lastObservedTime: microTime } },
  action: text,
  related: reference,
  reportingComponent: { ...text, default: '' },
  reportingInstance: { ...text, default: '' },
});

/** Events in the shape of `events.k8s.io/v1`. */
export const eventOfGroupSchema = root({
  eventTime: microTime,
  series: { type: 'object', properties: { count: { ...count, default: 0 }, lastObservedTime: microTime } },
  reportingController: text,
  reportingInstance: text,
  action: text,
  reason: text,
  regarding: eventReference,
  related: reference,
  note: text,
  type: text,
  deprecatedSource: source,
  deprecatedFirstTimestamp: time,
  deprecatedLastTimestamp: time,
  deprecatedCount: count,
});
