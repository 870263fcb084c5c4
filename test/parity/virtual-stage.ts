// The environment of a scenario on the memory API, with this project's definitions of the core kinds.
import { createApiCore } from '@capi-serverless/apiserver/core';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { coreCrds } from '../../shared/api/crds.ts';
import { createMemoryWorkload } from '../../shared/kubernetes/memory/memory-workload.ts';
import { background, type Commit, type SimulatedApi } from '../simulation/system/api-server.ts';
import type { SimulatedWorld } from '../simulation/system/stored-state.ts';
import { createSystem } from '../simulation/system/system.ts';
import { sleep } from '../simulation/system/user.ts';
import { probeFailed } from '../support/fake-remote.ts';
import { countingIds, installCrd } from '../support/memory-api.ts';
import { readCorpusCrds } from './corpus.ts';
import type { Recording } from './corpus-code.ts';
import { watchNodes } from './node-events.ts';
import { type ParityStage, user } from './player.ts';
import { type Played, type PlayedWorkload, toReconcilers } from './reconcilers.ts';
import { toKubeconfig } from './stage-kubeconfig.ts';
import { createVirtualTime, isIdle, type Performance } from './virtual-time.ts';

/** The usual start of a scenario. */
export const firstInstant = Date.parse('2026-01-01T00:00:00Z');

/** The API server that the scenarios were recorded with had this host. */
const url = 'https://127.0.0.1:6443';
const server = { url, kubeconfig: toKubeconfig({ url }) };

/** Runs the scenario on a separate API server. The timers depend on the start, because their grid is absolute. */
export function onVirtualStage<T>(
  played: Played,
  play: (stage: ParityStage) => Promise<T>,
  start = firstInstant,
): Promise<Performance<T>> {
  // True: the system is created before its processes open a client.
  const served: { api?: SimulatedApi } = {};
  const { engine, options, run } = createVirtualTime(played.name, start);
  const workload = toWorkload(() => served.api?.core);
  const reconcilers = toReconcilers(played, engine.scheduler, workload);
  const system = createSystem({ ...options, reconcilers, world: toWorld() });
  const { api } = system;
  served.api = api;
  const commits: Commit[] = [];
  api.onCommit(commit => commits.push(commit));
  const kubernetes = api.clientOf(user);
  const stage: ParityStage = {
    kubernetes,
    server,
    now: () => engine.scheduler.now,
    sleep: ms => sleep(engine, ms),
    onChange: listener => api.onCommit(({ object }) => listener(object)),
    isIdle: async () => isIdle(engine, system) && !api.core.hasWork() && nodes.pending === 0,
    writesIn: async namespaces => countCreated(commits, namespaces),
  };
  const nodes = watchNodes(stage, system);
  return run(() => play(stage));
}

/** The API server is the workload cluster of each Cluster whose kubeconfig names it. No other endpoint answers. */
function toWorkload(core: () => SimulatedApi['core'] | undefined): PlayedWorkload {
  const isServer = ({ kubeconfig }: { readonly kubeconfig: string }): boolean => kubeconfig === server.kubeconfig;
  return {
    probe: async target => (isServer(target) ? { ok: true } : probeFailed()),
    connect: ({ clock, newId: uid }) =>
      createMemoryWorkload({
        clock,
        ids: { uid, nameSuffix: uid },
        coreOf: target => (isServer(target) ? core() : undefined),
      }),
  };
}

/** In the recordings, requests to workload clusters have another user than those of the controllers. */
const uncounted: readonly string[] = [user, background];

function countCreated(commits: readonly Commit[], namespaces: readonly string[]): Recording['writes'] {
  const created = commits.filter(
    ({ type, writer, object: { kind, metadata } }) =>
      type === 'ADDED' &&
      !uncounted.includes(writer) &&
      kind !== 'Event' &&
      namespaces.includes(metadata.namespace ?? ''),
  );
  const byKind = Object.groupBy(created, ({ object }) => object.kind);
  return Object.fromEntries(Object.entries(byKind).map(([kind, list = []]) => [kind, { create: list.length }]));
}

let world: SimulatedWorld | undefined;

/** Returns the definitions of the corpus, with this project's definitions for the core kinds. */
function toWorld(): SimulatedWorld {
  if (world === undefined) {
    const kinds = workloadKinds;
    const core = createApiCore({ now: () => firstInstant, ids: countingIds(), kinds });
    const crds = new Map([...readCorpusCrds(), ...coreCrds].map(crd => [crd.metadata.name, crd]));
    for (const crd of crds.values()) {
      installCrd(core, crd);
    }
    core.settle();
    world = { at: firstInstant, snapshot: core.snapshot(), created: new Map(), answers: [], kinds };
  }
  return world;
}
