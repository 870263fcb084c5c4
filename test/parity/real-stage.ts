// The environment of a scenario on a real API server. Requests and watches are real, time is virtual.
import { statSync } from 'node:fs';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { userAgent } from '../../shared/kubernetes/rest/version.ts';
import { createWorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import { startSystem } from '../simulation/system/system.ts';
import { sleep } from '../simulation/system/user.ts';
import { probeFailed } from '../support/fake-remote.ts';
import type { RealControlPlane } from '../support/real-control-plane.ts';
import { connectWorldClient } from '../support/world-client.ts';
import type { CorpusCode } from './corpus-code.ts';
import { Deliveries, type TypeMeta } from './deliveries.ts';
import { holdTime, holdWorkload } from './held-client.ts';
import { watchNodes } from './node-events.ts';
import { Observer } from './observer.ts';
import { type ParityStage, user } from './player.ts';
import { type Played, type PlayedWorkload, toReconcilers } from './reconcilers.ts';
import { toKubeconfig } from './stage-kubeconfig.ts';
import { createVirtualTime, isIdle, type Performance } from './virtual-time.ts';

export const functionsUser = 'functions';

export interface RealServer {
  readonly plane: RealControlPlane;
  /** The client of users and providers. */
  readonly users: Kubernetes;
  readonly functions: Kubernetes;
  readonly managementCluster: string;
  readonly kinds: readonly TypeMeta[];
  readonly countWrites: CorpusCode['countWrites'];
}

export async function connectServer(
  plane: RealControlPlane,
  { kinds, countWrites }: Pick<RealServer, 'kinds' | 'countWrites'>,
): Promise<RealServer> {
  const [users, functions] = await Promise.all(
    ['admin', functionsUser].map(async name => (await connectWorldClient(plane.kubeconfigPath(name))).kubernetes),
  );
  if (users === undefined || functions === undefined) {
    throw new Error('A client is missing');
  }
  const namespace = await users.metadata({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  if (!namespace.ok) {
    throw new Error(namespace.failure.message);
  }
  return { plane, users, functions, managementCluster: namespace.value.uid, kinds, countWrites };
}

/** Runs the scenario, then removes its objects. */
export async function onRealStage<T>(
  played: Played,
  server: RealServer,
  play: (stage: ParityStage) => Promise<T>,
): Promise<Performance<T>> {
  const { plane, users, functions, managementCluster, kinds, countWrites } = server;
  const deliveries = new Deliveries();
  const observer = new Observer(kinds, deliveries);
  const kubeconfig = toKubeconfig({ url: plane.url, caPem: plane.caPem, token: plane.token('admin') });
  const workload: PlayedWorkload = {
    probe: async target => (target.kubeconfig === kubeconfig ? { ok: true } : probeFailed()),
    connect: ({ clock }) => {
      const clients = createWorkloadClients({ client: functionsUser, clock, userAgent, addresses: 'any' });
      return holdWorkload(clients, users, holding);
    },
  };
  const { engine, options, run } = createVirtualTime(played.name, Date.now());
  const { scheduler } = engine;
  const holding = { scheduler, deliveries, observer };
  const stop = new AbortController();
  await observer.start(users, stop.signal);
  const clientOf = (writer: string): Kubernetes => holdTime(writer === user ? users : functions, holding);
  const reconcilers = toReconcilers(played, scheduler, workload);
  const served = { clientOf, onCommit: () => {} };
  const system = startSystem({ ...options, reconcilers, world: undefined }, served, managementCluster);
  const auditFrom = statSync(plane.auditLogPath).size;
  const connected = {
    kubernetes: clientOf(user),
    sleep: (ms: number) => sleep(engine, ms),
    onChange: (listener: Parameters<ParityStage['onChange']>[0]) => void observer.listeners.add(listener),
  };
  const nodes = watchNodes(connected, system);
  const stage: ParityStage = {
    ...connected,
    server: { url: plane.url, kubeconfig },
    now: () => scheduler.now,
    async isIdle() {
      if (isIdle(engine, system)) {
        await scheduler.hold(observer.collected());
      }
      return isIdle(engine, system) && nodes.pending === 0;
    },
    writesIn: async namespaces => countWrites(plane.auditLogPath, auditFrom, functionsUser, namespaces),
  };
  try {
    const { result, defects } = await run(() => play(stage));
    return { result, defects: [...defects, ...deliveries.problems] };
  } finally {
    stop.abort();
    await removeAll(users, kinds);
  }
}

/** Deletes every object of these kinds, including its finalizers. */
async function removeAll(users: Kubernetes, kinds: readonly TypeMeta[]): Promise<void> {
  for (const kind of kinds) {
    const listed = await users.list(kind);
    for (const { metadata } of listed.ok ? listed.value : []) {
      const { name, namespace, finalizers } = metadata;
      const ref = { ...kind, name, ...(namespace === undefined ? {} : { namespace }) };
      await users.delete(ref, { gracePeriodSeconds: 0 });
      if (finalizers !== undefined) {
        await users.mergePatch(ref, { metadata: { finalizers: null } });
      }
    }
  }
}
