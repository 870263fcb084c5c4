// The ports of a planned reconciler. Read-only calls are sent. The face of the reconciler answers all other calls.
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { PortFactories } from '@capi-serverless/reconciler';
import { createSigner } from '../../shared/certificates/x509/lazy-signer.ts';
import { parseConfig } from '../../shared/config/env.ts';
import type { ExplainContext, Face } from '../../shared/explain/face.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkload } from '../../shared/kubernetes/rest/workload.ts';
import { createWorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import { createWorkloadNodes } from '../../shared/kubernetes/rest/workload-nodes.ts';
import type { PortTypes } from '../../shared/ports.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import type { Hooks } from '../../shared/runtime-hooks/port.ts';

type Live = {
  readonly [Name in Exclude<keyof PortTypes, 'dryRun'>]: (asking: ExplainContext) => PortTypes[Name] | undefined;
};

const noMetrics: Metrics = { count: () => undefined, observe: () => undefined };
const remote = { userAgent, addresses: 'any' } as const;

/** Adapters that send calls. `undefined` if this plan must not send them. */
const live: Live = {
  hooks: ({ callHooks }) => (callHooks ? connectHooks() : undefined),
  // Probes and reads change nothing.
  nodes: ({ probeWorkloads }) => (probeWorkloads ? createWorkloadNodes(remote) : undefined),
  workload: ({ probeWorkloads }) => (probeWorkloads ? createWorkload(remote) : undefined),
  workloadApi: ({ probeWorkloads }) =>
    probeWorkloads ? createWorkloadClients({ ...remote, client: 'plan', clock: systemClock }).api : undefined,
  signer: () => createSigner(),
};

/** A hook may be called any number of times. */
function connectHooks(): Hooks {
  const settings = { ...parseConfig(process.env).extensions, addresses: 'any' } as const;
  return createHooks({ clock: systemClock, metrics: noMetrics, settings });
}

/** Returns one factory per port that the declaration names. */
export function portsOf<Ports extends Partial<PortTypes>, Seen extends object>({
  reconciler,
  asReported,
}: Face<Ports, Seen>): PortFactories<Ports, ExplainContext> {
  const reported: Readonly<Record<string, (asking: ExplainContext) => unknown>> = asReported;
  const asked: Readonly<Record<string, (asking: ExplainContext) => unknown>> = live;
  const names = reconciler.declaration.ports.filter(name => name !== 'dryRun');
  const factories = names.map(name => [
    name,
    (asking: ExplainContext) => asked[name]?.(asking) ?? reported[name]?.(asking),
  ]);
  return Object.fromEntries(factories); // True: each name has an adapter of its port, because both records have the port names as keys.
}
