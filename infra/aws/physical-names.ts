// Physical names and construct ids. Names contain the deployment, so deployments can share an account and region.

/** For example `work-cluster.fifo` → `capi-serverless-work-cluster.fifo`. */
export function toPhysicalName(deployment: string, name: string): string {
  return `${deployment}-${name}`;
}

/** For example `work-cluster-dlq.fifo` → `WorkClusterDlqFifo`. */
export function toConstructId(name: string): string {
  return name
    .split(/[-.]/)
    .map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
