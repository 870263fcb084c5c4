// A settled management cluster in virtual time. Its objects are reconciled, and the requests are counted.

// Functions load these modules on demand, which takes real time.
import '../../functions/topology/plan/patches/class-patches.ts';
import '../../shared/topology/default-variables.ts';
import '../../shared/variables/index.ts';
import type { Kubernetes, ObjectRef } from '@capi-serverless/apimachinery';
import type { Reconciler, WiredPorts } from '@capi-serverless/reconciler';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../shared/kernel/reconciled.ts';
import { createVirtualTime, isIdle } from '../parity/virtual-time.ts';
import type { SimulatedReconciler } from '../simulation/system/functions.ts';
import { createSystem } from '../simulation/system/system.ts';
import { createUser, type SimulatedUser, sleep } from '../simulation/system/user.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { countRounds, type Rounds } from './rounds.ts';

interface SettledWorld {
  /** A client of the management cluster whose requests take effect immediately. */
  readonly kubernetes: Kubernetes;
  /** Runs one invocation of this reconciler in a process that has reconciled the object before. */
  count<Ports, Seen extends object>(
    reconciler: Reconciler<Ports, Seen>,
    ports: NoInfer<WiredPorts<Ports>>,
    ref: ObjectRef,
  ): Promise<Rounds<Reconciled>>;
}

interface Settling {
  readonly reconcilers: readonly SimulatedReconciler[];
  /** Creates the objects and waits for their conditions. */
  script(user: SimulatedUser): Promise<void>;
}

const start = Date.parse('2026-01-01T00:00:00Z');
/** The time is longer than any timer of a reconciler that causes a write. */
const restMs = 600_000;

export async function settleWorld(name: string, { reconcilers, script }: Settling): Promise<SettledWorld> {
  const { engine, options, run } = createVirtualTime(name, start);
  const system = createSystem({ ...options, reconcilers, world: undefined });
  const { defects } = await run(async () => {
    await script(createUser(engine, system));
    await sleep(engine, restMs);
    while (!isIdle(engine, system) || system.api.core.hasWork()) {
      await sleep(engine, 100);
    }
  });
  if (defects.length > 0) {
    throw new Error(`The world ${name} did not settle: ${defects.join('; ')}`);
  }
  const kubernetes = system.api.clientOf('counted');
  const clock = new SteppedClock(engine.scheduler.now);
  return {
    kubernetes,
    async count(reconciler, ports, ref) {
      const { signal } = new AbortController();
      const log = aRecordingLog();
      const run = (client: Kubernetes) =>
        reconcile({ reconciler, kubernetes: client, ports, clock, signal, log, watchFilter: '' }, ref);
      await run(kubernetes);
      return countRounds(kubernetes, run);
    },
  };
}
