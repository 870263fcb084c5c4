// The names by which the cluster and the deployment know the same function.

export const partOf = 'capi-serverless';

/** The group that an access entry maps a function's role to, and that its ClusterRole is bound to. */
export function toGroupName(functionName: string): string {
  return `${partOf}:${functionName}`;
}

/** The service account of the watch-forwarder's pods. */
export const forwarderAccount = { namespace: partOf, name: 'watch-forwarder' } as const;

/** Whom all functions are to an API server that knows them by one kubeconfig. */
export const functionsAccount = { namespace: partOf, name: 'functions' } as const;

/** Where the windowed forwarder keeps its ConfigMap unless CAPI_STATE_NAMESPACE says otherwise. */
export const stateNamespace = 'kube-system';
