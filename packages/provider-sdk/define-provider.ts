// The common flow of all provider roles: gate, author's function, status.
import type { Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { Log, Pass, Reconciler, Stop } from '@capi-serverless/reconciler';
import type { ProviderOptions } from './author.ts';
import { type ActuatorSeen, decideActions } from './decide.ts';
import { type ClusterReference, failurePathsOf, toDeclaration } from './declaration.ts';
import { checkReserved } from './options.ts';
import { ownerRefOf, toObservation, toStop } from './provider-observation.ts';
import { reportPass } from './report.ts';
import type { ProviderRole } from './role.ts';

/** A provider's reconciler needs only the port for reads. */
export type ProviderReconciler = Reconciler<object, ActuatorSeen>;

interface Providing {
  readonly role: ProviderRole;
  readonly reference: ClusterReference;
  /** Dotted paths, including `status.`, that the SDK writes for this role. */
  readonly paths: readonly string[];
}

/**
 * Returns a reconciler. It calls the author's function at most once per pass, and only if the finalizer and the owner
 * reference are stored. It makes no call while the object is paused or externally managed. The status always includes
 * the outcome. Throws TypeError on invalid options.
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
  readonly role: ProviderRole;
}

async function observe(object: Unstructured, { ask, pass, role }: Asking): Promise<ActuatorSeen | Stop> {
  const stop = toStop(object, role);
  if (stop !== undefined) {
    return stop;
  }
  const owner = ownerRefOf(object);
  const answer = owner === undefined ? undefined : await ask.get(owner);
  return { object, observation: toObservation(object, answer, role), client: ask, log: pass.log ?? silentLog };
}

export const silentLog: Log = { debug() {}, info() {}, error() {}, with: () => silentLog };
