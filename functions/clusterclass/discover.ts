// Calls the extensions of a class's patches to discover the variables that they define.
import { type Checked, invalid, type Reads, valid } from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import { type ClassPatch, discovererOf } from '../../shared/api/cluster-class/class-spec.ts';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { type HookCalls, hooksOf } from '../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { discoverVariables as hook } from '../../shared/runtime-hooks/rules/catalog.ts';
import { type ClusterClassVariable, readVariableDefinitions } from '../../shared/variables/index.ts';
import type { Discovery } from './seen.ts';

/**
 * The calls are sequential, so that patches with the same request share one call. A failed call does not stop the
 * others.
 */
export async function discoverVariables(
  clusterClass: ClusterClass,
  ask: Reads & HooksPort,
  pass: Pass,
): Promise<readonly Discovery[]> {
  const calls = hooksOf(ask, pass);
  const discoveries: Discovery[] = [];
  for (const patch of clusterClass.spec.patches) {
    if (discovererOf(patch) !== '') {
      discoveries.push({ patch: patch.name, variables: await askFor(patch, clusterClass, calls) });
    }
  }
  return discoveries;
}

async function askFor(
  patch: ClassPatch,
  { metadata }: ClusterClass,
  calls: HookCalls,
): Promise<Checked<readonly ClusterClassVariable[]>> {
  const { namespace, name } = metadata;
  const answer = await calls.callNamed(hook, discovererOf(patch), {
    object: { namespace, name },
    request: {},
    settings: patch.external?.settings ?? {},
    cache: true,
  });
  const read = answer.ok ? readVariableDefinitions(answer.value.variables) : invalid(answer.error);
  return read.ok
    ? valid(read.value)
    : invalid(`failed to call DiscoverVariables for patch ${patch.name}: ${read.error}`);
}
