// The unchanged message reader of the first release. It must be able to read the messages of the current version. When
// the schema version changes, add a copy of the current reader. Delete this one a release later.
import * as z from 'zod/mini';

const segment = z.string().check(z.maxLength(253), z.regex(/^[^/]*$/));
const filledSegment = segment.check(z.minLength(1));

export const frozenRequest = z.object({
  v: z.literal(1),
  reconciler: filledSegment,
  key: z.object({
    managementCluster: filledSegment,
    group: segment,
    kind: filledSegment,
    namespace: segment,
    name: filledSegment,
  }),
  cause: z.enum(['event', 'list', 'resync', 'expand', 'timer', 'again', 'manual', 'deletion']),
  attempt: z.int().check(z.gte(0)),
  due: z.optional(z.int()),
  sources: z.optional(z.array(z.string().check(z.maxLength(120))).check(z.maxLength(21))),
  trace: z.string().check(z.maxLength(64)),
});

export const frozenExpansion = z.object({
  v: z.literal(1),
  reconciler: z.string().check(z.minLength(1), z.maxLength(253)),
  source: z.object({
    apiVersion: z.string().check(z.minLength(1), z.maxLength(253)),
    kind: z.string().check(z.minLength(1), z.maxLength(253)),
    namespace: z.exactOptional(z.string().check(z.maxLength(253))),
    name: z.exactOptional(z.string().check(z.minLength(1), z.maxLength(253))),
  }),
  trace: z.string().check(z.maxLength(64)),
});

/** Message bodies of the release. */
export const frozenBodies = {
  event:
    '{"v":1,"reconciler":"cluster","key":{"managementCluster":"5f0c","group":"cluster.x-k8s.io","kind":"Cluster","namespace":"default","name":"prod"},"cause":"event","attempt":0,"sources":["a1@7","b2@12"],"trace":"t1"}',
  many: '{"v":1,"reconciler":"cluster","key":{"managementCluster":"5f0c","group":"cluster.x-k8s.io","kind":"Cluster","namespace":"default","name":"prod"},"cause":"event","attempt":0,"sources":["a1@7","many"],"trace":"t1"}',
  timer:
    '{"v":1,"reconciler":"cluster","key":{"managementCluster":"5f0c","group":"cluster.x-k8s.io","kind":"Cluster","namespace":"default","name":"prod"},"cause":"timer","attempt":3,"trace":"t1","due":1767225600000}',
  resync:
    '{"v":1,"reconciler":"cluster","key":{"managementCluster":"5f0c","group":"","kind":"Node","namespace":"","name":"n1"},"cause":"resync","attempt":0,"trace":"t1"}',
} as const;
