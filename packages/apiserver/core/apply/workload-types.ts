// The merge types of the kinds of a workload cluster. Lists with keys are declared where several managers write them.
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function keyed(...keys: readonly string[]): object {
  const properties = Object.fromEntries(keys.map(key => [key, { type: 'string' }]));
  return {
    type: 'array',
    items: { ...open, properties },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
}

const conditions = keyed('type');

function kind(
  spec: object,
  status: object,
): { readonly schema: object; readonly zero: { spec: object; status: object } } {
  const schema = {
    type: 'object',
    properties: { spec: { ...open, properties: spec }, status: { ...open, properties: status } },
  };
  return { schema, zero: { spec: {}, status: {} } };
}

/** By group and kind. */
export const workloadTypes = {
  '/Node': kind({}, { conditions, addresses: keyed('type') }),
  '/Pod': kind({ containers: keyed('name'), initContainers: keyed('name'), volumes: keyed('name') }, { conditions }),
  '/PersistentVolume': kind({}, {}),
  '/PersistentVolumeClaim': kind({}, { conditions }),
  'apps/DaemonSet': kind({}, { conditions }),
  'storage.k8s.io/VolumeAttachment': kind({}, {}),
  'policy/PodDisruptionBudget': kind({}, { conditions }),
};
