// The members of the built-in kinds, as far as they are told apart: others are dropped.

const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** `metav1.Time` is written as null when it is not set. */
const time = { type: 'string', nullable: true, default: null };
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

/** The shape of `v1`; what is not omitted when empty has a default. */
export const eventSchema = root({
  involvedObject: reference,
  reason: text,
  message: text,
  source: { type: 'object', default: {}, properties: { component: text, host: text } },
  firstTimestamp: time,
  lastTimestamp: time,
  count: { type: 'integer', format: 'int32' },
  type: text,
  eventTime: time,
  series: { type: 'object', properties: { count: { type: 'integer' }, lastObservedTime: text } },
  action: text,
  related: reference,
  reportingComponent: { ...text, default: '' },
  reportingInstance: { ...text, default: '' },
});
