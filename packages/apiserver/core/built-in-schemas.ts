// Schemas of the built-in kinds. Members that they do not declare are dropped.

const text = { type: 'string' };
/** Null is read as the empty string, as in Go. */
const texts = { type: 'object', additionalProperties: { ...text, default: '' } };
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** A `metav1.Time` without a value is written as null. */
const time = { type: 'string', format: 'date-time', nullable: true, default: null };
/** `metav1.MicroTime` has exactly six fractional digits. */
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

/** `autoscaling/v1`. */
export const scaleSchema = root({
  spec: { type: 'object', properties: { replicas: count } },
  status: { type: 'object', properties: { replicas: count, selector: text } },
});

const source = { type: 'object', default: {}, properties: { component: text, host: text } };
const eventReference = { ...reference, default: {} };

/** Events in the `v1` form, which is stored. Fields without omitempty have a default. */
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

/** Events in the `events.k8s.io/v1` form. */
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
