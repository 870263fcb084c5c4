import { expect, it } from 'vitest';
import { allowsClass } from '../../../../shared/topology/class-namespaces.ts';

it.each([
  { allowed: 'any', clusterClass: 'classes', allows: true, reason: 'all namespaces are allowed' },
  { allowed: ['classes'], clusterClass: 'classes', allows: true, reason: 'the namespace is listed' },
  { allowed: ['others'], clusterClass: 'classes', allows: false, reason: 'another namespace is listed' },
  { allowed: [], clusterClass: 'classes', allows: false, reason: 'only the namespace of the Cluster is allowed' },
  { allowed: [], clusterClass: 'ns', allows: true, reason: 'it is the namespace of the Cluster' },
] as const)('a class of namespace $clusterClass: $allows ($reason)', ({ allowed, clusterClass, allows }) => {
  expect(allowsClass(allowed, { cluster: 'ns', clusterClass })).toBe(allows);
});
