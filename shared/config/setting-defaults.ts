// The defaults of the environment variables of every function. They are part of each bundle, and the meanings in
// settings.ts are not.

/** The provider groups of Cluster API's conventions: the default of CAPI_PROVIDER_GROUPS and of the audit policy. */
export const defaultProviderGroups: readonly string[] = [
  'infrastructure.cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
];

/** Used if the variable is unset or empty. All other variables have no default. */
export const settingDefaults: Readonly<Record<string, string>> = {
  CAPI_RESYNC_PERIOD_SECONDS: '600',
  CAPI_FULL_RESYNC_PERIOD_SECONDS: '86400',
  CAPI_STATE_NAMESPACE: 'kube-system',
  CAPI_PROBE_ADDRESS: '127.0.0.1:8080',
  CAPI_PROVIDER_GROUPS: defaultProviderGroups.join(','),
  // One process uses one CPU core. With more keys per batch, batches take so long that their writes enqueue their
  // objects again.
  CAPI_CONCURRENCY: '4',
  CAPI_TIME_LIMIT_FACTOR: '1',
  CAPI_REMOTE_PROBE: 'on-reconcile',
  CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: '50',
  CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: '300',
  CAPI_NODE_PERIOD_SECONDS: '0',
  CAPI_WATCH_NODES: 'off',
  CAPI_DRAIN_FINISHED_PODS: 'complete',
  CAPI_INLINE_DATA_SECRET: 'ignored',
  CAPI_MACHINESET_PREFLIGHT_CHECKS: 'All',
  CAPI_REMOTE_ADDRESSES: 'routable',
  CAPI_CLASS_NAMESPACES: 'any',
  CAPI_EXTENSION_SERVICES: 'refuse',
  CAPI_LOG_LEVEL: 'info',
  CAPI_METRICS: 'off',
  CAPI_DEPLOYMENT: 'capi-serverless',
  CAPI_TRACING: 'off',
};
