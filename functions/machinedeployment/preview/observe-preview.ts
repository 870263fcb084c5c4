// What `plan` shows about the rollout of a MachineDeployment, with the checks of MachineSets before they create Machines.

import { type Reads, toDisplayName } from '@capi-serverless/apimachinery';
import { type EarlyEnd, isEarlyEnd } from '@capi-serverless/reconciler';
import type { Preview, Previewing } from '../../../shared/explain/face.ts';
import { readReferenced } from '../../../shared/external/read-referenced.ts';
import { checkPreflight } from '../../../shared/machine-collections/preflight-checks.ts';
import { allChecks, type Preflight, preflightScope } from '../../../shared/machine-collections/preflight-scope.ts';
import type { DeploymentPlan } from '../plan.ts';
import type { ObservedDeployment } from '../seen.ts';
import { previewDeployment } from './deployment-preview.ts';

/** Returns `undefined` if the pass plans no MachineSets, or if nothing would change. */
export async function previewOfMachineDeployment(
  plan: DeploymentPlan | EarlyEnd,
  { ask, after }: Pick<Previewing<object>, 'ask' | 'after'>,
): Promise<Preview | undefined> {
  if (isEarlyEnd(plan) || plan.stage.kind !== 'rollout') {
    return undefined;
  }
  const preflight = await readPreflight(plan.seen, ask);
  const preview = previewDeployment(plan.seen, plan.stage.plan, { stored: after, preflight });
  const title = `The rollout of MachineDeployment ${toDisplayName(after.metadata)}`;
  return preview && { title, ...preview };
}

/** All checks, as the functions of a deployment make them by default. */
const settings = { preflightChecks: [allChecks], hasTopologies: true };

async function readPreflight({ deployment, cluster, bootstrap }: ObservedDeployment, ask: Reads): Promise<Preflight> {
  const facts = { machineSet: deployment, cluster, bootstrap: toTemplate(bootstrap), settings };
  const scope = preflightScope(facts);
  if (scope.state !== 'open') {
    return scope;
  }
  const { namespace } = deployment.metadata;
  const read = await readReferenced({ ref: scope.controlPlaneRef, namespace }, ask);
  return read.state === 'found'
    ? checkPreflight(scope, facts, read.object)
    : { state: 'error', problem: `${scope.controlPlaneRef.kind} ${scope.controlPlaneRef.name} cannot be read` };
}

function toTemplate(bootstrap: ObservedDeployment['bootstrap']) {
  switch (bootstrap.state) {
    case 'missing':
      return { state: 'missing', problem: `${bootstrap.ref.kind} ${bootstrap.ref.name} does not exist` } as const;
    case 'unread':
      return { state: 'noTemplate' } as const;
    default:
      return bootstrap;
  }
}
