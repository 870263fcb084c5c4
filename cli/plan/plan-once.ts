// Reads the objects from the given source, plans, and prints.

import { type ObjectRef, toApiVersion, toRef, withoutUndefined } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { exitCodes } from '../../local/exit-codes.ts';
import { UsageError } from '../../local/usage-error.ts';
import { toPrimaryRef } from '../arguments.ts';
import { affectedBy } from './affected.ts';
import { toMarkdown } from './markdown.ts';
import { type ChangeWord, countWords, objectChanges } from './object-changes.ts';
import type { PlanOptions } from './options.ts';
import { type Plannable, toSubject } from './plan.ts';
import { openWorld, type PlanWorld } from './plan-objects.ts';
import type { PlanReport } from './plan-report.ts';
import { plannables } from './registry.ts';
import { toPlanReport, toPlanText, wouldSucceed } from './report.ts';

/** Resolves with the exit code. Throws UsageError if there is nothing to plan. */
export async function planOnce(options: PlanOptions, print: (text: string) => void): Promise<number> {
  const plannable = plannables.find(({ declaration }) => declaration.name === options.reconciler);
  if (plannable === undefined) {
    throw new UsageError(`There is no reconciler "${options.reconciler}" to plan`);
  }
  const world = await openWorld(options.source);
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
    print(toOutput(reports, world, options));
    return exitCodeOf(reports, options.failOn);
  } finally {
    await world.close();
  }
}

function exitCodeOf(reports: readonly PlanReport[], failOn: readonly ChangeWord[]): number {
  if (!reports.every(wouldSucceed)) {
    return exitCodes.notReady;
  }
  const counts = countWords(reports.flatMap(objectChanges));
  return failOn.some(word => counts[word] > 0) ? exitCodes.changes : exitCodes.done;
}

function toOutput(reports: readonly PlanReport[], { given, notes }: PlanWorld, options: PlanOptions): string {
  const { reconciler, output } = options;
  switch (output) {
    case 'json':
      return toJson(reports, options);
    case 'markdown':
      return toMarkdown(reports, { reconciler, files: given?.changes ?? [], notes });
    case 'text':
      return reports.length === 0 ? toNothing(options, notes) : reports.map(toPlanText).join('\n');
  }
}

function toNothing({ reconciler }: PlanOptions, notes: readonly string[]): string {
  const lines = [
    `The files change nothing that reconciler ${reconciler} reads.`,
    ...notes.map(note => `Note: ${note}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns one document: the plan of one object, or the list of plans for all objects. */
function toJson(reports: readonly PlanReport[], { object }: PlanOptions): string {
  return `${JSON.stringify(object === undefined ? reports : reports[0], undefined, 2)}\n`;
}

async function planOf(
  plannable: Plannable,
  { reads, probeWorkloads, hasFiles, dryRun, given, source, notes }: PlanWorld,
  { ref, callHooks }: { readonly ref: ObjectRef; readonly callHooks: boolean },
): Promise<PlanReport> {
  const fromFiles = hasFiles ? { fromFiles: true as const } : {};
  const isGiven = given?.isGiven;
  const now = systemClock.now();
  const parts = { ...withoutUndefined({ dryRun, isGiven }), ...fromFiles };
  const plan = await plannable.plan({ reads, ref, now, callHooks, probeWorkloads, ...parts });
  if (plan.defect !== undefined) {
    throw plan.defect;
  }
  return toPlanReport(plan, { source, notes, files: given?.changes });
}

/**
 * Returns all objects of the files that the reconciler would reconcile. With an API server, these are all objects that a
 * change of the files enqueues: possibly none.
 */
async function refsOf(plannable: Plannable, { reads, source, given }: PlanWorld): Promise<readonly ObjectRef[]> {
  if (given !== undefined) {
    return affectedBy(given.changed, plannable, reads);
  }
  const { declaration, concerns } = plannable;
  const { primary } = declaration;
  const listed = await reads.list({ apiVersion: toApiVersion(primary), kind: primary.kind });
  const refs = (listed.ok ? listed.value : []).filter(concerns).map(toRef);
  if (refs.length === 0) {
    throw new UsageError(`There is no ${primary.kind} in ${source} that reconciler ${declaration.name} reconciles`);
  }
  return refs;
}

async function requireObject({ reads, source }: PlanWorld, ref: ObjectRef): Promise<void> {
  const answer = await reads.metadata(ref);
  if (!answer.ok) {
    const problem = answer.missing ? 'does not exist' : 'cannot be read';
    throw new UsageError(`${toSubject(ref)} ${problem} in ${source}: ${answer.failure.message}`);
  }
}
