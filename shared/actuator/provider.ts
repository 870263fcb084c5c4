// Puts the flow that all provider roles share together: gate, author's code, status.
import type { Unstructured } from '../api/object.ts';
import type { Log } from '../kernel/log.ts';
import type { Pass, Reads, Reconciler, Stop } from '../kernel/types.ts';
import type { ProviderOptions } from './author.ts';
import { type ActuatorSeen, decideActions } from './decide.ts';
import { type ClusterReference, failurePathsOf, toDeclaration } from './declaration.ts';
import { checkReserved } from './options.ts';
import { reportPass } from './report.ts';
import type { Role } from './role.ts';
import { ownerRefOf, toSituation, toStop } from './situation.ts';

/** A provider's reconciler needs no port beside the reads. */
export type ProviderReconciler = Reconciler<unknown, ActuatorSeen>;

export interface Providing {
  readonly role: Role;
  readonly reference: ClusterReference;
  /** Dotted paths, `status.` included, that the SDK writes for this role. */
  readonly paths: readonly string[];
}

/**
 * A reconciler that calls the author's code at most once per pass: never before the finalizer is stored and the owner
 * reference is there, never while paused or managed by somebody else. What the call came to reaches the status in any
 * case. Throws TypeError on options that cannot be accepted.
 */
export function defineProvider<Result, Spec, Status>(
  options: ProviderOptions<Result, Spec, Status>,
  { role, reference, paths }: Providing,
): ProviderReconciler {
  const written = [...paths, ...failurePathsOf(role.contract)];
  checkReserved(options, {
    conditions: ['Paused', ...role.verdicts],
    status: ['conditions', ...written.map(path => path.replace(/^status\.([^.]+).*$/, '$1'))],
  });
  return {
    declaration: toDeclaration(options, { role, reference, paths: written }),
    observe: (primary, ask, pass) => observe(primary, { ask, pass, role }),
    decide: (seen, now) => decideActions(seen, role, now),
    report: (seen, outcomes, now) => reportPass(seen, outcomes, { now, role }),
  };
}

interface Asking {
  readonly ask: Reads;
  readonly pass: Pass;
  readonly role: Role;
}

async function observe(object: Unstructured, { ask, pass, role }: Asking): Promise<ActuatorSeen | Stop> {
  const stop = toStop(object, role);
  if (stop !== undefined) {
    return stop;
  }
  const owner = ownerRefOf(object);
  const answer = owner === undefined ? undefined : await ask.get(owner);
  return { object, situation: toSituation(object, answer, role), client: ask, log: pass.log ?? silentLog };
}

export const silentLog: Log = { debug() {}, info() {}, error() {}, with: () => silentLog };
