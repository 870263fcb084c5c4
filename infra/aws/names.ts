// How what a stack makes is called: nothing of two deployments in one account and region has the same name.

/** `work-cluster.fifo` → `capi-serverless-work-cluster.fifo`. */
export function toPhysicalName(deployment: string, name: string): string {
  return `${deployment}-${name}`;
}

/** `work-cluster-dlq.fifo` → `WorkClusterDlqFifo`. */
export function toConstructId(name: string): string {
  return name
    .split(/[-.]/)
    .map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
