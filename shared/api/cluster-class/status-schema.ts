// Schema of `ClusterClass.status`.
import { filledObject } from '../schema/json-schema.ts';
import { conditions, deprecated, observedGeneration } from '../schema/status-schemas.ts';
import { statusVariables } from './variables-schema.ts';

export const clusterClassStatus = filledObject('Observed state of the class.', {
  conditions,
  variables: statusVariables,
  observedGeneration,
  deprecated: deprecated({}),
});
