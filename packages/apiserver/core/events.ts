// Events: one store with two resources, each in a different form.
import { coreKind, plainVersion } from './built-in-kind.ts';
import { eventOfGroupSchema, eventSchema } from './built-in-schemas.ts';
import { problemsOfEvent, problemsOfGroupEvent } from './event-rules.ts';
import { tidyEvent, toServedEvent, toStoredEvent } from './event-shapes.ts';
import type { Resource, SelectableField, StoredForm } from './kinds.ts';
import { createObjectSchema } from './schema/object-schema.ts';

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** The names of the involved object's fields in field selectors. */
function aboutFields(prefix: string): Readonly<Record<string, SelectableField>> {
  return Object.fromEntries(referenceFields.map(field => [`${prefix}.${field}`, ['involvedObject', field]]));
}

const commonFields = { reason: ['reason'], type: ['type'] };
const names = { singular: 'event', listKind: 'EventList', shortNames: ['ev'], categories: [] };

const [version] = plainVersion(eventSchema, {
  ...aboutFields('involvedObject'),
  ...commonFields,
  reportingComponent: ['reportingComponent'],
  source: { anyOf: [['source', 'component'], ['reportingComponent']] },
});

/** The resource of `v1`. */
export const events: Resource = coreKind('Event', 'events', {
  names,
  versions: [version],
  listStrategies: {},
  strategy: { complete: tidyEvent, validate: draft => problemsOfEvent(draft) },
});

const storedSchema = createObjectSchema(eventSchema, 'v1');

const storedAs: StoredForm = {
  endpoint: { resource: events, version },
  toStored: draft => storedSchema.shape(toStoredEvent(draft)),
  toServed: toServedEvent,
};

/** The resource of `events.k8s.io/v1`. */
export const eventsOfGroup: Resource = coreKind('Event', 'events', {
  group: 'events.k8s.io',
  names,
  versions: plainVersion(eventOfGroupSchema, {
    ...aboutFields('regarding'),
    ...commonFields,
    reportingController: ['reportingComponent'],
  }),
  listStrategies: {},
  strategy: { complete: tidyEvent, validate: problemsOfGroupEvent },
  storedAs,
});
