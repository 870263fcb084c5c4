// The port to the watches of workload clusters.
import type { Checked, Watches } from '@capi-serverless/apimachinery';
import type { ProbeTarget } from './port.ts';

/**
 * Returns the watches of a workload cluster, or the reason why the kubeconfig cannot be used. Connects with the first
 * request. Never rejects.
 */
export type WatchWorkload = (target: ProbeTarget) => Promise<Checked<Watches>>;
