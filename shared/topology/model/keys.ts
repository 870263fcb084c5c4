// Labels and annotations of managed topologies.
// https://main.cluster-api.sigs.k8s.io/reference/api/labels-and-annotations

export const ownedLabel = 'topology.cluster.x-k8s.io/owned';
export const deploymentNameLabel = 'topology.cluster.x-k8s.io/deployment-name';
export const poolNameLabel = 'topology.cluster.x-k8s.io/pool-name';
export const clonedFromNameAnnotation = 'cluster.x-k8s.io/cloned-from-name';
export const clonedFromGroupKindAnnotation = 'cluster.x-k8s.io/cloned-from-groupkind';
export const upgradeStepAnnotation = 'topology.internal.cluster.x-k8s.io/upgrade-step';
export const deferUpgradeAnnotation = 'topology.cluster.x-k8s.io/defer-upgrade';
export const holdUpgradeSequenceAnnotation = 'topology.cluster.x-k8s.io/hold-upgrade-sequence';
export const upgradeConcurrencyAnnotation = 'topology.cluster.x-k8s.io/upgrade-concurrency';
export const dryRunAnnotation = 'topology.cluster.x-k8s.io/dry-run';
export const beforeUpgradeAnnotationPrefix = 'before-upgrade.hook.cluster.cluster.x-k8s.io';
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
export const conversionDataAnnotation = 'cluster.x-k8s.io/conversion-data';
export const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';

/**
 * An annotation of this project on a new template of control plane machines. Its value is the name of the template that
 * it replaces. A complete pass removes it.
 */
export const replacesAnnotation = 'capi-serverless.dev/replaces';

/** The field manager of all applies of a topology. */
export const topologyManager = 'capi-topology';
