// Schemas of the labels and annotations of templates, and of label selectors.
import { atomicList, filledObject, type JsonSchema, object, text, textMap } from './json-schema.ts';

/** Labels and annotations for the objects made from this template. */
export function templateMetadata(description: string): JsonSchema {
  return filledObject(description, {
    labels: textMap('Labels to set.'),
    annotations: textMap('Annotations to set.'),
  });
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
export function labelSelector(description: string): JsonSchema {
  const requirement = object(
    'A condition on one label.',
    {
      key: text('Label key.'),
      operator: text('In, NotIn, Exists or DoesNotExist.'),
      values: atomicList('Values for In and NotIn; empty for the others.', { type: 'string' }),
    },
    { required: ['key', 'operator'] },
  );
  return object(
    description,
    {
      matchLabels: textMap('Labels that an object must have, with these values.'),
      matchExpressions: atomicList('Conditions that an object must meet, all of them.', requirement),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );
}
