// Physical names and construct ids. Names contain the deployment, so deployments can share an account and region.

/** For example `work-cluster.fifo` → `capi-serverless-work-cluster.fifo`. */
export function toPhysicalName(deployment: string, name: string): string {
  return `${deployment}-${name}`;
}

/** The name of an alarm. A slash occurs in no other part, so that alarms of two deployments have different names. */
export function toAlarmName(deployment: string, name: string): string {
  return `${deployment}/${name}`;
}

/** Dashboards of all regions of an account share their names. */
export function toDashboardName(deployment: string, region: string): string {
  return `${deployment}-${region}`;
}

interface SharedName {
  readonly other: string;
  readonly physicalName: string;
}

/**
 * Returns another deployment whose names can be equal to names of this one. For example `capi-machineset` and `capi`,
 * because `topology` and `machineset-topology` are both names of reconcilers. Only the longer name is reported.
 */
export function findSharedName(deployment: string, names: readonly string[]): SharedName | undefined {
  const parts = deployment.split('-');
  for (let length = 1; length < parts.length; length += 1) {
    const ending = parts.slice(length).join('-');
    const own = names.find(name => names.includes(`${ending}-${name}`));
    if (own !== undefined) {
      return { other: parts.slice(0, length).join('-'), physicalName: toPhysicalName(deployment, own) };
    }
  }
  return undefined;
}

/** For example `work-cluster-dlq.fifo` → `WorkClusterDlqFifo`. */
export function toConstructId(name: string): string {
  return name
    .split(/[-.]/)
    .map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
