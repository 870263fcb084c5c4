// Reads the objects from where the user says, plans, and prints.
import { type ObjectRef, toApiVersion } from '../../../shared/api/object.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import { systemClock } from '../../../shared/telemetry/system-clock.ts';
import { connect } from '../connect.ts';
import { exitCodes } from '../drive.ts';
import { UsageError } from '../options.ts';
import { readObjects, seed } from './files.ts';
import type { PlanOptions, Source } from './options.ts';
import { toSubject } from './plan.ts';
import { plannables } from './registry.ts';
import { toPlanReport, toPlanText, wouldSucceed } from './report.ts';

/** Resolves with the exit code. Throws UsageError when there is nothing to plan. */
export async function planOnce(options: PlanOptions, print: (text: string) => void): Promise<number> {
  const plannable = plannables.find(({ declaration }) => declaration.name === options.reconciler);
  if (plannable === undefined) {
    throw new UsageError(`There is no reconciler "${options.reconciler}" to plan`);
  }
  const world = await open(options.source);
  try {
    const { primary } = plannable.declaration;
    const { namespace, name, callHooks } = options;
    const ref = { apiVersion: toApiVersion(primary), kind: primary.kind, namespace, name };
    await requireObject(world, ref);
    const { reads, isLive } = world;
    const plan = await plannable.plan({ reads, ref, now: systemClock.now(), callHooks, probeWorkloads: isLive });
    if (plan.defect !== undefined) {
      throw plan.defect;
    }
    const report = toPlanReport(plan, world);
    print(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : toPlanText(report));
    return wouldSucceed(report) ? exitCodes.done : exitCodes.notReady;
  } finally {
    await world.close();
  }
}

interface World {
  readonly reads: Reads;
  /** For people: a URL, or the names of files. */
  readonly source: string;
  /** The objects are those of a running API server. */
  readonly isLive: boolean;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

async function open(source: Source): Promise<World> {
  if (source.from === 'files') {
    const { kubernetes, assumptions } = seed(await readObjects(source.files), systemClock.now());
    return {
      reads: toReads(kubernetes),
      source: source.files.join(', '),
      isLive: false,
      notes: assumptions,
      close: async () => undefined,
    };
  }
  const { kubernetes, server, close } = await connect(source.kubeconfig);
  return { reads: toReads(kubernetes), source: server, isLive: true, notes: [], close };
}

/** All that goes on from here: there is no verb left that writes. */
function toReads(kubernetes: Reads): Reads {
  return {
    get: kubernetes.get.bind(kubernetes),
    metadata: kubernetes.metadata.bind(kubernetes),
    list: kubernetes.list.bind(kubernetes),
  };
}

async function requireObject({ reads, source }: World, ref: ObjectRef): Promise<void> {
  const answer = await reads.metadata(ref);
  if (!answer.ok) {
    const problem = answer.missing ? 'does not exist' : 'cannot be read';
    throw new UsageError(`${toSubject(ref)} ${problem} in ${source}: ${answer.failure.message}`);
  }
}
