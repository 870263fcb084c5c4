// The namespaces whose ClusterClasses a Cluster may use. Pure.

/** 'any': all namespaces. Otherwise the namespace of the Cluster and the listed ones. */
export type ClassNamespaces = 'any' | readonly string[];

export function allowsClass(
  allowed: ClassNamespaces,
  { cluster, clusterClass }: { readonly cluster: string; readonly clusterClass: string },
): boolean {
  return clusterClass === cluster || allowed === 'any' || allowed.includes(clusterClass);
}
