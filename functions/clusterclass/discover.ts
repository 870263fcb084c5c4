// Asks the extensions behind a class's patches which variables they define.
import { type Checked, invalid, valid } from '../../shared/api/checked.ts';
import type { ClassPatch, ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Pass, Reads } from '../../shared/kernel/types.ts';
import { type HookCalls, hooksOf } from '../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { discoverVariables as hook } from '../../shared/runtime-hooks/rules/catalog.ts';
import { type ClusterClassVariable, readVariableDefinitions } from '../../shared/variables/index.ts';
import type { Discovery } from './seen.ts';

/** One after the other, so that patches that ask the same are answered by one call; the failure of one stops none. */
export async function discoverVariables(
  clusterClass: ClusterClass,
  ask: Reads & HooksPort,
  pass: Pass,
): Promise<readonly Discovery[]> {
  const calls = hooksOf(ask, pass);
  const discoveries: Discovery[] = [];
  for (const patch of clusterClass.spec.patches) {
    if (patch.external.discoverVariablesExtension !== '') {
      discoveries.push({ patch: patch.name, variables: await askFor(patch, clusterClass, calls) });
    }
  }
  return discoveries;
}

async function askFor(
  { name: patch, external }: ClassPatch,
  { metadata }: ClusterClass,
  calls: HookCalls,
): Promise<Checked<readonly ClusterClassVariable[]>> {
  const { namespace, name } = metadata;
  const answer = await calls.callNamed(hook, external.discoverVariablesExtension, {
    object: { namespace, name },
    request: {},
    settings: external.settings,
    cache: true,
  });
  const read = answer.ok ? readVariableDefinitions(answer.value.variables) : invalid(answer.error);
  return read.ok ? valid(read.value) : invalid(`failed to call DiscoverVariables for patch ${patch}: ${read.error}`);
}
