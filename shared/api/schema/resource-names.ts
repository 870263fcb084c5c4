// Schemas of the name of a ConfigMap or Secret with objects for workload clusters.
import { choice, filledText } from './json-schema.ts';

export const resourceNames = {
  kind: choice('Kind of the resource.', ['Secret', 'ConfigMap']),
  name: filledText('Name of the resource.', 253),
};
