// The environment variables of every function: name, meaning and default. The table in docs/settings.md is generated
// from them.

interface Setting {
  readonly name: string;
  readonly meaning: string;
  /** Used if the variable is unset or empty. "" if there is no default. */
  readonly default: string;
}

/** The provider groups of Cluster API's conventions: the default of CAPI_PROVIDER_GROUPS and of the audit policy. */
export const defaultProviderGroups: readonly string[] = [
  'infrastructure.cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
];

/** One row per environment variable, in the order of docs/settings.md. */
export const settings: readonly Setting[] = [
  {
    name: 'CAPI_QUEUE_URLS',
    meaning:
      'The common beginning of the queue URLs, and in braces the names of the queues that this function may use: `https://sqs.…/capi-prod-{delay,expand}`',
    default: '',
  },
  {
    name: 'CAPI_KUBECONFIG',
    meaning:
      'Path of a kubeconfig (JSON or YAML); without it and the next four, the service account of the pod is used',
    default: '',
  },
  {
    name: 'CAPI_KUBECONFIG_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds a kubeconfig',
    default: '',
  },
  { name: 'CAPI_EKS_CLUSTER', meaning: 'Name of the EKS cluster to which this function is a role of AWS', default: '' },
  { name: 'CAPI_EKS_ENDPOINT', meaning: 'Address of its API server', default: '' },
  {
    name: 'CAPI_EKS_CERTIFICATE_AUTHORITY_FILE',
    meaning: 'Path of a file with its certificate authority (PEM), or `data:;base64,` and the certificate authority',
    default: '',
  },
  {
    name: 'CAPI_MANAGEMENT_CLUSTER',
    meaning: 'uid of the kube-system namespace; read from the API server once when not set',
    default: '',
  },
  {
    name: 'CAPI_WATCH_FILTER',
    meaning: 'Only objects whose label cluster.x-k8s.io/watch-filter has this value are reconciled',
    default: '',
  },
  {
    name: 'CAPI_RESYNC_PERIOD_SECONDS',
    meaning: 'How often the resync looks for changes that no event source reported',
    default: '600',
  },
  {
    name: 'CAPI_FULL_RESYNC_PERIOD_SECONDS',
    meaning: 'Every object is reconciled once in this time, even if nothing changes; at least the resync period',
    default: '86400',
  },
  {
    name: 'CAPI_STATE_NAMESPACE',
    meaning: 'Namespace of the ConfigMaps in which the resync and the windowed forwarder keep what they compare with',
    default: 'kube-system',
  },
  {
    name: 'CAPI_PROBE_ADDRESS',
    meaning:
      'host:port on which the watch-forwarder answers /healthz, /readyz and /metrics; in a pod set :8080, for all IPv4 and IPv6 addresses',
    default: '127.0.0.1:8080',
  },
  {
    name: 'CAPI_PROVIDER_GROUPS',
    meaning: 'API groups, separated by commas, whose kinds Clusters and Machines may name; for the audit webhook',
    default: defaultProviderGroups.join(','),
  },
  {
    name: 'CAPI_AUDIT_TOKENS_FILE',
    meaning:
      'Path of a file with the bearer token of the audit webhook; with two, one per line, while they are exchanged',
    default: '',
  },
  {
    name: 'CAPI_AUDIT_TOKENS',
    meaning: 'The same tokens, separated by commas, where there is no file to read',
    default: '',
  },
  {
    name: 'CAPI_AUDIT_TOKENS_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds them as the file does',
    default: '',
  },
  {
    name: 'CAPI_CONCURRENCY',
    meaning: 'Invocations of one function at a time (2 to 1000) of a local run; a deployment has a field of its own',
    // One process uses one CPU core. With more keys per batch, batches take so long that their writes enqueue their
    // objects again.
    default: '4',
  },
  {
    name: 'CAPI_TIME_LIMIT_FACTOR',
    meaning:
      'Multiplies the time limits of calls to SQS, of loading credentials, of the first answer of an API server and of the installation of definitions (1 to 100); for a slow or busy machine. Timeouts of functions stay',
    default: '1',
  },
  {
    name: 'CAPI_FEATURE_GATES',
    meaning: 'As `--feature-gates` of the upstream manager, such as `ClusterTopology=true,RuntimeSDK=true`',
    default: '',
  },
  {
    name: 'CAPI_REMOTE_PROBE',
    meaning:
      'on-reconcile: workload clusters are probed whenever they are reconciled; off: never, no RemoteConnectionProbe',
    default: 'on-reconcile',
  },
  {
    name: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
    meaning: 'How long probes may fail before a connected Cluster reports it; less than the grace period of conditions',
    default: '50',
  },
  {
    name: 'CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS',
    meaning:
      'How long probes may fail before NodeReady and NodeHealthy of Machines become Unknown; at least 120, and longer than the grace period of the connection',
    default: '300',
  },
  {
    name: 'CAPI_NODE_PERIOD_SECONDS',
    meaning:
      'How often a Machine with a healthy Node reads it again; 0: only when the Machine is reconciled for another reason, at the latest after the full resync period',
    default: '0',
  },
  {
    name: 'CAPI_WATCH_NODES',
    meaning:
      'on: the watch-forwarder watches the Nodes of workload clusters, and enqueues their Machines; needs the right to read kubeconfig Secrets',
    default: 'off',
  },
  {
    name: 'CAPI_ADDITIONAL_SYNC_MACHINE_LABELS',
    meaning:
      'Regular expressions (RE2), separated by commas; labels of Machines whose key one of them matches anywhere are copied to Nodes',
    default: '',
  },
  { name: 'CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS', meaning: 'The same for annotations', default: '' },
  {
    name: 'CAPI_DRAIN_FINISHED_PODS',
    meaning:
      'complete: a drain with behavior WaitCompleted does not wait for Pods that are Succeeded or Failed; wait: until they are deleted, as Cluster API does',
    default: 'complete',
  },
  {
    name: 'CAPI_INLINE_DATA_SECRET',
    meaning:
      'ignored: a Machine with a data secret and no bootstrap config never reports that its bootstrap data is created, as in Cluster API; created: it does',
    default: 'ignored',
  },
  {
    name: 'CAPI_MACHINESET_PREFLIGHT_CHECKS',
    meaning:
      'Checks before a MachineSet creates or remediates Machines, separated by commas, as `--machineset-preflight-checks` of the upstream manager: ControlPlaneIsStable, KubernetesVersionSkew, KubeadmVersionSkew, ControlPlaneVersionSkew, or All; None: no check',
    default: 'All',
  },
  {
    name: 'CAPI_REMOTE_ADDRESSES',
    meaning:
      'routable: no workload cluster is probed and no extension server called at a loopback, link-local or cloud metadata address; any: wherever its kubeconfig or ExtensionConfig says. A local run takes any',
    default: 'routable',
  },
  {
    name: 'CAPI_CLASS_NAMESPACES',
    meaning:
      'any: a Cluster may use the ClusterClasses of all namespaces; same: only those of its own namespace; or names of namespaces, separated by commas, whose ClusterClasses all Clusters may use beside their own',
    default: 'any',
  },
  {
    name: 'CAPI_EXTENSION_SERVICES',
    meaning:
      'refuse: ExtensionConfigs must name a URL; dns: also a Service, where `<name>.<namespace>.svc` leads to it',
    default: 'refuse',
  },
  {
    name: 'CAPI_EXTENSION_CLIENT_CERT_FILE',
    meaning: 'Path of the certificate (PEM) with which functions authenticate to extension servers',
    default: '',
  },
  { name: 'CAPI_EXTENSION_CLIENT_KEY_FILE', meaning: 'Path of its key', default: '' },
  {
    name: 'CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds both instead, one after the other',
    default: '',
  },
  { name: 'CAPI_LOG_LEVEL', meaning: 'debug, info or error', default: 'info' },
  {
    name: 'CAPI_METRICS',
    meaning: 'Log lines that CloudWatch makes metrics of: off, few (what rarely happens) or all (docs/runbook.md)',
    default: 'off',
  },
  { name: 'CAPI_DEPLOYMENT', meaning: 'Dimension `deployment` of those metrics', default: 'capi-serverless' },
  {
    name: 'CAPI_TRACING',
    meaning: 'off, or xray: a span for each reconcile, sent to the daemon at `AWS_XRAY_DAEMON_ADDRESS`',
    default: 'off',
  },
];
