// Workload clusters with network faults, and a signer without cryptography.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { toSecretData } from '../../../shared/api/secret.ts';
import type { Signer } from '../../../shared/certificates/port.ts';
import type { Probe, WorkloadClusters, WorkloadNodes } from '../../../shared/workload/port.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import { canary } from '../oracles/secrecy.ts';

const probeTimeoutMs = 5_000;
const nodesTimeoutMs = 10_000;

export function connectWorkload(process: SimulatedProcess): WorkloadClusters {
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

/** Nodes that report no version. */
export function connectNodes(process: SimulatedProcess): WorkloadNodes {
  return {
    async kubeletVersions({ origin }, nodes, signal) {
      const versions = await process.request<Checked<string>>({
        port: 'kubernetes',
        label: `Nodes with the kubeconfig ${origin}`,
        isWrite: false,
        signal,
        timeoutMs: nodesTimeoutMs,
        perform: async () => valid(''),
        refused: as => invalid(as),
      });
      return new Map(nodes.map(node => [node, versions]));
    },
  };
}

/** Every certificate is valid until after the end of any run. */
const never = Date.parse('2100-01-01T00:00:00Z');

export function createSimulatedSigner(): Signer {
  return {
    kubeconfig: async ({ clusterName, server, authority }) =>
      valid(JSON.stringify({ clusterName, server, authority: toSecretData(authority.certificate), key: canary })),
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
