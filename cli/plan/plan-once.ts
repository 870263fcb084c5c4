// Reads the objects from the given source, plans, and prints.

import {
  type DryRun,
  type ObjectRef,
  type Reads,
  toApiVersion,
  toRef,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { connect } from '../../local/connect.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { UsageError } from '../../local/usage-error.ts';
import { toPrimaryRef } from '../arguments.ts';
import { readObjects, seed } from './files.ts';
import type { PlanOptions, Source } from './options.ts';
import { type Plannable, toReads, toSubject } from './plan.ts';
import { plannables } from './registry.ts';
import { type PlanReport, toPlanReport, toPlanText, wouldSucceed } from './report.ts';

/** Resolves with the exit code. Throws UsageError if there is nothing to plan. */
export async function planOnce(options: PlanOptions, print: (text: string) => void): Promise<number> {
  const plannable = plannables.find(({ declaration }) => declaration.name === options.reconciler);
  if (plannable === undefined) {
    throw new UsageError(`There is no reconciler "${options.reconciler}" to plan`);
  }
  const world = await open(options.source);
  try {
    const refs =
      options.object === undefined
        ? await refsOf(plannable, world)
        : [toPrimaryRef(plannable.declaration, options.object)];
    const reports = [];
    for (const ref of refs) {
      await requireObject(world, ref);
      reports.push(await planOf(plannable, world, { ref, callHooks: options.callHooks }));
    }
    print(options.json ? toJson(reports, options) : reports.map(toPlanText).join('\n'));
    return reports.every(wouldSucceed) ? exitCodes.done : exitCodes.notReady;
  } finally {
    await world.close();
  }
}

/** Returns one document: the plan of one object, or the list of plans for all objects. */
function toJson(reports: readonly PlanReport[], { object }: PlanOptions): string {
  return `${JSON.stringify(object === undefined ? reports : reports[0], undefined, 2)}\n`;
}

async function planOf(
  plannable: Plannable,
  { reads, isLive, dryRun, source, notes }: World,
  { ref, callHooks }: { readonly ref: ObjectRef; readonly callHooks: boolean },
): Promise<PlanReport> {
  const dryRuns = withoutUndefined({ dryRun });
  const files = isLive ? {} : { fromFiles: true as const };
  const now = systemClock.now();
  const plan = await plannable.plan({ reads, ref, now, callHooks, probeWorkloads: isLive, ...dryRuns, ...files });
  if (plan.defect !== undefined) {
    throw plan.defect;
  }
  return toPlanReport(plan, { source, notes });
}

/** Returns all objects of the files that the reconciler would reconcile. */
async function refsOf({ declaration, concerns }: Plannable, { reads, source }: World): Promise<readonly ObjectRef[]> {
  const { primary } = declaration;
  const listed = await reads.list({ apiVersion: toApiVersion(primary), kind: primary.kind });
  const refs = (listed.ok ? listed.value : []).filter(concerns).map(toRef);
  if (refs.length === 0) {
    throw new UsageError(`There is no ${primary.kind} in ${source} that reconciler ${declaration.name} reconciles`);
  }
  return refs;
}

interface World {
  readonly reads: Reads;
  /** Absent without an API server. */
  readonly dryRun?: DryRun;
  /** The name of the source for users: a URL, or file names. */
  readonly source: string;
  /** Whether the objects come from a running API server. */
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
  const { dryRun } = kubernetes;
  return { reads: toReads(kubernetes), dryRun, source: server, isLive: true, notes: [], close };
}

async function requireObject({ reads, source }: World, ref: ObjectRef): Promise<void> {
  const answer = await reads.metadata(ref);
  if (!answer.ok) {
    const problem = answer.missing ? 'does not exist' : 'cannot be read';
    throw new UsageError(`${toSubject(ref)} ${problem} in ${source}: ${answer.failure.message}`);
  }
}
