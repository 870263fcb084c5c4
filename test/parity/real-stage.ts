// The environment of a scenario on a real API server. Requests and watches are real, time is virtual.
import { statSync } from 'node:fs';
import type { Kubernetes } from '../../packages/apimachinery/client.ts';
import { startSystem } from '../simulation/system/system.ts';
import { sleep } from '../simulation/system/user.ts';
import type { RealControlPlane } from '../support/real-control-plane.ts';
import { connectWorldClient } from '../support/world-client.ts';
import type { CorpusCode } from './corpus-code.ts';
import { Deliveries, type TypeMeta } from './deliveries.ts';
import { holdTime } from './held-client.ts';
import { Observer } from './observer.ts';
import { type ParityStage, user } from './player.ts';
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
  name: string,
  server: RealServer,
  play: (stage: ParityStage) => Promise<T>,
): Promise<Performance<T>> {
  const { plane, users, functions, managementCluster, kinds, countWrites } = server;
  const { engine, options, run } = createVirtualTime(name, Date.now());
  const { scheduler } = engine;
  const deliveries = new Deliveries();
  const observer = new Observer(kinds, deliveries);
  const stop = new AbortController();
  await observer.start(users, stop.signal);
  const holding = { scheduler, deliveries, observer };
  const clientOf = (writer: string): Kubernetes => holdTime(writer === user ? users : functions, holding);
  const system = startSystem({ ...options, world: undefined }, { clientOf, onCommit: () => {} }, managementCluster);
  const auditFrom = statSync(plane.auditLogPath).size;
  const stage: ParityStage = {
    kubernetes: clientOf(user),
    now: () => scheduler.now,
    sleep: ms => sleep(engine, ms),
    onChange: listener => observer.listeners.add(listener),
    async isIdle() {
      if (isIdle(engine, system)) {
        await scheduler.hold(observer.collected());
      }
      return isIdle(engine, system);
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
      const { name, namespace = '', finalizers } = metadata;
      const ref = { ...kind, name, namespace };
      await users.delete(ref);
      if (finalizers !== undefined) {
        await users.mergePatch(ref, { metadata: { finalizers: null } });
      }
    }
  }
}
