// Makes the preflight checks. Reads the control plane only if a check needs it.
import { type Reads, toDisplayName } from '@capi-serverless/apimachinery';
import { checkPreflight } from '../../../shared/machine-collections/preflight-checks.ts';
import {
  type Preflight,
  type PreflightFacts,
  preflightProblem,
  preflightScope,
} from '../../../shared/machine-collections/preflight-scope.ts';
import { readObject } from './read-object.ts';

export async function readPreflight(facts: PreflightFacts, ask: Reads): Promise<Preflight> {
  const scope = preflightScope(facts);
  if (scope.state !== 'open') {
    return scope;
  }
  const { namespace } = facts.machineSet.metadata;
  const { name } = scope.controlPlaneRef;
  const read = await readObject(scope.controlPlaneRef, namespace, ask);
  if (read.state === 'found') {
    return checkPreflight(scope, facts, read.object);
  }
  const why = read.state === 'failed' ? read.problem : 'object reference not set';
  const problem = `failed to get ControlPlane ${toDisplayName({ namespace, name })}: ${why}`;
  return { state: 'error', problem: `${preflightProblem}: ${problem}` };
}
