// The conversions that every port must get right. `infra` is a group whose definition names version v1beta2.
import type { ConvertedObject } from '../../../../shared/conversion/convert.ts';
import { clusters, others } from './cluster-scenarios.ts';
import { machines, sets } from './machine-scenarios.ts';

/** Each scenario as whole objects. */
export const scenarios = [...machines, ...sets, ...clusters, ...others].map(
  ({ name, kind, group = 'cluster.x-k8s.io', from, to, metadata = {}, input, output, outputMetadata = metadata }) => {
    const given = { name: 'x', namespace: 'ns' };
    const object: ConvertedObject = {
      apiVersion: `${group}/${from}`,
      kind,
      metadata: { ...given, ...metadata },
      ...input,
    };
    const expected: ConvertedObject = {
      apiVersion: `${group}/${to}`,
      kind,
      metadata: { ...given, ...outputMetadata },
      ...output,
    };
    return { name: `${kind} to ${to}: ${name}`, object, to, expected };
  },
);
