// Workload clusters that answer, over a network that may not; and a signer without cryptography.
import { valid } from '../../../shared/api/checked.ts';
import type { Signer } from '../../../shared/certificates/port.ts';
import type { Probe, Workload } from '../../../shared/workload/port.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import { canary } from '../oracles/secrecy.ts';

const probeTimeoutMs = 5_000;

export function connectWorkload(process: SimulatedProcess): Workload {
  return {
    probe: ({ origin }, signal) =>
      process.request<Probe>({
        port: 'kubernetes',
        label: `probe with the kubeconfig ${origin}`,
        isWrite: false,
        signal,
        timeoutMs: probeTimeoutMs,
        perform: async () => ({ ok: true }),
        refused: as => ({ ok: false, error: as }),
      }),
  };
}

/** Every certificate lasts beyond the end of any run. */
const never = Date.parse('2100-01-01T00:00:00Z');

export function createSimulatedSigner(): Signer {
  return {
    kubeconfig: async ({ clusterName, server }) => valid(JSON.stringify({ clusterName, server, key: canary })),
    async inspect(kubeconfig) {
      // True: no other kubeconfig exists in a simulation.
      const { clusterName, server } = JSON.parse(kubeconfig) as {
        readonly clusterName: string;
        readonly server: string;
      };
      return { clusterName, server, expiresAt: never };
    },
  };
}
