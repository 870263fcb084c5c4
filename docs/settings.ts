// The environment variables of every function: name, meaning and default. The table in docs/settings.md is generated
// from them.
import { settingDefaults } from '../shared/config/setting-defaults.ts';

interface Setting {
  readonly name: string;
  readonly meaning: string;
  /** Used if the variable is unset or empty. "" if there is no default. */
  readonly default: string;
}

const meanings: readonly Omit<Setting, 'default'>[] = [
  {
    name: 'CAPI_QUEUE_URLS',
    meaning:
      'The common beginning of the queue URLs, and in braces the names of the queues that this function may use: `https://sqs.…/capi-prod-{delay,expand}`',
  },
  {
    name: 'CAPI_KUBECONFIG',
    meaning:
      'Path of a kubeconfig (JSON or YAML); without it and the next four, the service account of the pod is used',
  },
  {
    name: 'CAPI_KUBECONFIG_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds a kubeconfig',
  },
  { name: 'CAPI_EKS_CLUSTER', meaning: 'Name of the EKS cluster to which this function is a role of AWS' },
  { name: 'CAPI_EKS_ENDPOINT', meaning: 'Address of its API server' },
  {
    name: 'CAPI_EKS_CERTIFICATE_AUTHORITY_FILE',
    meaning: 'Path of a file with its certificate authority (PEM), or `data:;base64,` and the certificate authority',
  },
  {
    name: 'CAPI_MANAGEMENT_CLUSTER',
    meaning: 'uid of the kube-system namespace; read from the API server once when not set',
  },
  {
    name: 'CAPI_WATCH_FILTER',
    meaning: 'Only objects whose label cluster.x-k8s.io/watch-filter has this value are reconciled',
  },
  {
    name: 'CAPI_RESYNC_PERIOD_SECONDS',
    meaning: 'How often the resync looks for changes that no event source reported',
  },
  {
    name: 'CAPI_FULL_RESYNC_PERIOD_SECONDS',
    meaning: 'Every object is reconciled once in this time, even if nothing changes; at least the resync period',
  },
  {
    name: 'CAPI_STATE_NAMESPACE',
    meaning: 'Namespace of the ConfigMaps in which the resync and the windowed forwarder keep what they compare with',
  },
  {
    name: 'CAPI_PROBE_ADDRESS',
    meaning:
      'host:port on which the watch-forwarder answers /healthz, /readyz and /metrics; in a pod set :8080, for all IPv4 and IPv6 addresses',
  },
  {
    name: 'CAPI_PROVIDER_GROUPS',
    meaning: 'API groups, separated by commas, whose kinds Clusters and Machines may name; for the audit webhook',
  },
  {
    name: 'CAPI_AUDIT_TOKENS_FILE',
    meaning:
      'Path of a file with the bearer token of the audit webhook; with two, one per line, while they are exchanged',
  },
  {
    name: 'CAPI_AUDIT_TOKENS',
    meaning: 'The same tokens, separated by commas, where there is no file to read',
  },
  {
    name: 'CAPI_AUDIT_TOKENS_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds them as the file does',
  },
  {
    name: 'CAPI_ADMISSION_TOKENS_FILE',
    meaning:
      'Path of a file with the token in the paths of the admission webhooks; with two, one per line, while they are exchanged',
  },
  {
    name: 'CAPI_ADMISSION_TOKENS',
    meaning: 'The same tokens, separated by commas, where there is no file to read',
  },
  {
    name: 'CAPI_ADMISSION_TOKENS_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds them as the file does',
  },
  {
    name: 'CAPI_CONVERSION_TOKENS_FILE',
    meaning:
      'Path of a file with the token in the path of the conversion webhook; with two, one per line, while they are exchanged',
  },
  {
    name: 'CAPI_CONVERSION_TOKENS',
    meaning: 'The same tokens, separated by commas, where there is no file to read',
  },
  {
    name: 'CAPI_CONVERSION_TOKENS_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds them as the file does',
  },
  {
    name: 'CAPI_CONCURRENCY',
    meaning: 'Invocations of one function at a time (2 to 1000) of a local run; a deployment has a field of its own',
  },
  {
    name: 'CAPI_TIME_LIMIT_FACTOR',
    meaning:
      'Multiplies the time limits of calls to SQS, of loading credentials, of the first answer of an API server and of the installation of definitions (1 to 100); for a slow or busy machine. Timeouts of functions stay',
  },
  {
    name: 'CAPI_FEATURE_GATES',
    meaning:
      'As `--feature-gates` of the upstream manager, such as `ClusterTopology=true,RuntimeSDK=true`. `MachinePool=false` and `ClusterResourceSet=false` leave out the functions of these kinds (Cluster API v1.14 has no gate for ClusterResourceSets)',
  },
  {
    name: 'CAPI_REMOTE_PROBE',
    meaning:
      'on-reconcile: workload clusters are probed whenever they are reconciled; off: never, no RemoteConnectionProbe',
  },
  {
    name: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
    meaning: 'How long probes may fail before a connected Cluster reports it; less than the grace period of conditions',
  },
  {
    name: 'CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS',
    meaning:
      'How long probes may fail before NodeReady and NodeHealthy of Machines become Unknown; at least 120, and longer than the grace period of the connection',
  },
  {
    name: 'CAPI_NODE_PERIOD_SECONDS',
    meaning:
      'How often a Machine with a healthy Node reads it again; 0: only when the Machine is reconciled for another reason, at the latest after the full resync period',
  },
  {
    name: 'CAPI_WATCH_NODES',
    meaning:
      'on: the watch-forwarder watches the Nodes of workload clusters, and enqueues their Machines; needs the right to read kubeconfig Secrets',
  },
  {
    name: 'CAPI_ADDITIONAL_SYNC_MACHINE_LABELS',
    meaning:
      'Regular expressions (RE2), separated by commas; labels of Machines whose key one of them matches anywhere are copied to Nodes',
  },
  { name: 'CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS', meaning: 'The same for annotations' },
  {
    name: 'CAPI_DRAIN_FINISHED_PODS',
    meaning:
      'complete: a drain with behavior WaitCompleted does not wait for Pods that are Succeeded or Failed; wait: until they are deleted, as Cluster API does',
  },
  {
    name: 'CAPI_INLINE_DATA_SECRET',
    meaning:
      'ignored: a Machine with a data secret and no bootstrap config never reports that its bootstrap data is created, as in Cluster API; created: it does',
  },
  {
    name: 'CAPI_MACHINESET_PREFLIGHT_CHECKS',
    meaning:
      'Checks before a MachineSet creates or remediates Machines, separated by commas, as `--machineset-preflight-checks` of the upstream manager: ControlPlaneIsStable, KubernetesVersionSkew, KubeadmVersionSkew, ControlPlaneVersionSkew, or All; None: no check',
  },
  {
    name: 'CAPI_REMOTE_ADDRESSES',
    meaning:
      'routable: no workload cluster is probed and no extension server called at a loopback, link-local or cloud metadata address; any: wherever its kubeconfig or ExtensionConfig says. A local run takes any',
  },
  {
    name: 'CAPI_CLASS_NAMESPACES',
    meaning:
      'any: a Cluster may use the ClusterClasses of all namespaces; same: only those of its own namespace; or names of namespaces, separated by commas, whose ClusterClasses all Clusters may use beside their own',
  },
  {
    name: 'CAPI_EXTENSION_SERVICES',
    meaning:
      'refuse: ExtensionConfigs must name a URL; dns: also a Service, where `<name>.<namespace>.svc` leads to it',
  },
  {
    name: 'CAPI_EXTENSION_CLIENT_CERT_FILE',
    meaning: 'Path of the certificate (PEM) with which functions authenticate to extension servers',
  },
  { name: 'CAPI_EXTENSION_CLIENT_KEY_FILE', meaning: 'Path of its key' },
  {
    name: 'CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
    meaning: 'ARN of a secret in Secrets Manager that holds both instead, one after the other',
  },
  { name: 'CAPI_LOG_LEVEL', meaning: 'debug, info or error' },
  {
    name: 'CAPI_METRICS',
    meaning: 'Log lines that CloudWatch makes metrics of: off, few (what rarely happens) or all (docs/runbook.md)',
  },
  { name: 'CAPI_DEPLOYMENT', meaning: 'Dimension `deployment` of those metrics' },
  {
    name: 'CAPI_TRACING',
    meaning: 'off, or xray: a span for each reconcile, sent to the daemon at `AWS_XRAY_DAEMON_ADDRESS`',
  },
];

/** One row per environment variable, in the order of docs/settings.md. */
export const settings: readonly Setting[] = meanings.map(setting => ({
  ...setting,
  default: settingDefaults[setting.name] ?? '',
}));
