// The environment of a scenario on the memory API, with this project's definitions of the core kinds.
import { createApiCore } from '../../packages/apiserver/core/api-core.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { Commit } from '../simulation/system/api-server.ts';
import { createSystem } from '../simulation/system/system.ts';
import { sleep } from '../simulation/system/user.ts';
import type { SimulatedWorld } from '../simulation/system/world.ts';
import { countingIds, installCrd } from '../support/memory-api.ts';
import { readCorpusCrds } from './corpus.ts';
import type { Recording } from './corpus-code.ts';
import { type ParityStage, user } from './player.ts';
import { createVirtualTime, isIdle, type Performance } from './virtual-time.ts';

const firstInstant = Date.parse('2026-01-01T00:00:00Z');

/** Runs the scenario on a separate API server. */
export function onVirtualStage<T>(name: string, play: (stage: ParityStage) => Promise<T>): Promise<Performance<T>> {
  const { engine, options, run } = createVirtualTime(name, firstInstant);
  const system = createSystem({ ...options, world: toWorld() });
  const { api } = system;
  const commits: Commit[] = [];
  api.onCommit(commit => commits.push(commit));
  const stage: ParityStage = {
    kubernetes: api.clientOf(user),
    now: () => engine.scheduler.now,
    sleep: ms => sleep(engine, ms),
    onChange: listener => api.onCommit(({ object }) => listener(object)),
    isIdle: async () => isIdle(engine, system) && !api.core.hasWork(),
    writesIn: async namespaces => countCreated(commits, namespaces),
  };
  return run(() => play(stage));
}

function countCreated(commits: readonly Commit[], namespaces: readonly string[]): Recording['writes'] {
  const created = commits.filter(
    ({ type, writer, object: { kind, metadata } }) =>
      type === 'ADDED' && writer !== user && kind !== 'Event' && namespaces.includes(metadata.namespace ?? ''),
  );
  const byKind = Object.groupBy(created, ({ object }) => object.kind);
  return Object.fromEntries(Object.entries(byKind).map(([kind, list = []]) => [kind, { create: list.length }]));
}

let world: SimulatedWorld | undefined;

/** Returns the definitions of the corpus, with this project's definitions for the core kinds. */
function toWorld(): SimulatedWorld {
  if (world === undefined) {
    const core = createApiCore({ now: () => firstInstant, ids: countingIds() });
    const crds = new Map([...readCorpusCrds(), ...coreCrds].map(crd => [crd.metadata.name, crd]));
    for (const crd of crds.values()) {
      installCrd(core, crd);
    }
    core.settle();
    world = { at: firstInstant, snapshot: core.snapshot(), created: new Map(), answers: [] };
  }
  return world;
}
