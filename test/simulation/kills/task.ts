// The kill points of some invocations of a workload. A worker examines them as one task.
import { toError } from '@capi-serverless/reconciler';
import { releaseWeakReferences } from '../run.ts';
import { reconcilersOf } from '../system/reconcilers.ts';
import { workloadNamed } from '../workloads/found.ts';
import type { Workload } from '../workloads/workload.ts';
import { examine } from './examine.ts';
import { type Recorded, recordInvocations } from './recorded.ts';
import { chooseInvocations, type InvocationSample } from './sample.ts';

/** The number of this part of `parts`: 0, 1, … */
export interface KillTask extends InvocationSample {
  readonly workload: string;
  readonly part: number;
  readonly parts: number;
}

export interface KillReport {
  readonly workload: string;
  readonly invocations: number;
  /** Two per call of a port: before the call is sent, and after it took effect. */
  readonly points: number;
  /** The number of different states after these kills. */
  readonly states: number;
  /** The states after which another function had to run before the work could be finished. */
  readonly withOthers: number;
  /** One text per failure, with the command that repeats it. */
  readonly failures: readonly string[];
}

let latest: { readonly workload: Workload; readonly recorded: Promise<readonly Recorded[]> } | undefined;

/** The same for consecutive tasks of a workload. */
function recordedOf(workload: Workload): Promise<readonly Recorded[]> {
  if (latest?.workload !== workload) {
    latest = { workload, recorded: recordInvocations(workload) };
  }
  return latest.recorded;
}

export async function examinePart({ workload: name, part, parts, ...sample }: KillTask): Promise<KillReport> {
  const recorded = await recordedOf(workloadNamed(name));
  const queues = recorded.map(({ queue }) => queue);
  const chosen = chooseInvocations(name, queues, sample).filter((_, index) => index % parts === part);
  return examineInvocations(name, chosen);
}

/** The numbers of the invocations in the run without faults: 0, 1, … */
export async function examineInvocations(name: string, numbers: readonly number[]): Promise<KillReport> {
  const workload = workloadNamed(name);
  const recorded = await recordedOf(workload);
  const report = { invocations: 0, points: 0, states: 0, withOthers: 0 };
  const failures: string[] = [];
  for (const number of numbers) {
    const invocation = recorded[number];
    if (invocation === undefined) {
      throw new RangeError(`${name} has ${recorded.length} invocations, from 0`);
    }
    const replay = `npm run simulate -- --workload ${name} --invocation ${number}`;
    const examined = await examine(invocation, { reconcilers: reconcilersOf(workload), workload }).catch(
      (error: unknown) => `${replay}: ${toError(error).message}`,
    );
    await releaseWeakReferences();
    if (typeof examined === 'string') {
      failures.push(examined);
      continue;
    }
    report.invocations += 1;
    report.points += examined.points;
    report.states += examined.states;
    report.withOthers += examined.withOthers;
    for (const { kill, at, problems } of examined.failures) {
      failures.push([`${replay}: killed ${kill.when} its call ${kill.call}, ${at}`, ...problems].join('\n  '));
    }
  }
  return { workload: name, ...report, failures };
}
