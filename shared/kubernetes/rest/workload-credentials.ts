// The credentials and limits of a connection to a workload cluster, from the kubeconfig in the Secret of its Cluster.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import type { parseOnce } from '../../certificates/parse-once.ts';
import type { ProbeTarget } from '../../workload/port.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { type InlineKubeconfig, readInlineKubeconfig } from '../credentials/kubeconfig.ts';
import type { ConnectionLimits } from './connection.ts';
import { addressRules, type WorkloadAccess } from './workload-connection.ts';

export interface WorkloadCredentials {
  readonly credentials: Credentials;
  readonly limits: Pick<ConnectionLimits, 'lookup'>;
}

/** Returns the reason if the kubeconfig is not usable. It quotes no part of it. */
export async function workloadCredentials(
  { cluster, version, origin, kubeconfig }: ProbeTarget,
  addresses: WorkloadAccess['addresses'],
  kubeconfigs: ReturnType<typeof parseOnce<InlineKubeconfig>>,
): Promise<Checked<WorkloadCredentials>> {
  try {
    const access = await kubeconfigs(`${cluster}@${version}`, () => readInlineKubeconfig(origin, kubeconfig));
    const { server } = access.endpoint;
    const { refusal, ...limits } = addressRules(server, addresses);
    if (refusal !== undefined) {
      return invalid(refusal);
    }
    return valid({ credentials: { server, current: async () => access, refresh: async () => false }, limits });
  } catch (thrown) {
    return invalid(toError(thrown).message);
  }
}
