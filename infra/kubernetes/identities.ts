// The names that the cluster and the deployment use for a function.

export const partOf = 'capi-serverless';

/**
 * Returns the group of a function. Its access entry maps the role to this group, and its ClusterRole is bound to this
 * group.
 */
export function toGroupName(functionName: string): string {
  return `${partOf}:${functionName}`;
}

/** The service account of the watch-forwarder's pods. */
export const forwarderAccount = { namespace: partOf, name: 'watch-forwarder' } as const;

/** The service account of all functions, if they share one kubeconfig. */
export const functionsAccount = { namespace: partOf, name: 'functions' } as const;

/** The default of CAPI_STATE_NAMESPACE: the namespace of the windowed forwarder's ConfigMap. */
export const stateNamespace = 'kube-system';
