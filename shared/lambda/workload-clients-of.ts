// The clients of workload clusters of one function.
import { userAgent } from '../kubernetes/rest/version.ts';
import { createWorkloadClients, type WorkloadClients } from '../kubernetes/rest/workload-clients.ts';
import type { Runtime } from './runtime.ts';

/** The name of the reconciler is part of the user agent. */
export function workloadClientsOf(
  { name: client }: { readonly name: string },
  { clock, config }: Pick<Runtime, 'clock' | 'config'>,
): WorkloadClients {
  return createWorkloadClients({ userAgent, clock, client, addresses: config.remoteAddresses });
}
