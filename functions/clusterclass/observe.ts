// Reads the objects for one pass over a ClusterClass in one round trip: all referenced templates, their definitions,
// and the variables that extensions define.
import {
  type Checked,
  invalid,
  mapChecked,
  type Reads,
  type Unstructured,
  valid,
  WorkMeter,
} from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import { type EarlyEnd, type Pass, type Stop, workOfPass } from '@capi-serverless/reconciler';
import { type ClassPatch, discovererOf } from '../../shared/api/cluster-class/class-spec.ts';
import { type ClusterClass, readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { type HookCalls, hooksOf } from '../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { discoverVariables as hook } from '../../shared/runtime-hooks/rules/catalog.ts';
import { type ClusterClassVariable, readVariableDefinitions } from '../../shared/variables/index.ts';
import { toTemplateRef } from './phases/check-templates.ts';
import { gatherVariables } from './phases/gather-variables.ts';
import { definitionOf, referencesOf } from './phases/template-references.ts';
import { gateOf } from './plan.ts';
import type { ClassTemplate, ClusterClassSettings, Discovery, ObservedClass } from './seen.ts';

interface Observing {
  readonly pass: Pass;
  readonly settings: ClusterClassSettings;
}

/**
 * Stops if the Paused condition of the class is True and up to date. Also stops if the class is being deleted, because
 * it has no finalizer.
 */
export async function observe(
  primary: Unstructured,
  ask: Reads & HooksPort,
  { pass, settings }: Observing,
): Promise<ObservedClass | EarlyEnd | Stop> {
  const clusterClass = readClusterClass(primary);
  const early = gateOf(clusterClass);
  if (early !== undefined) {
    return early;
  }
  const [templates, discoveries] = await Promise.all([
    readTemplates(clusterClass, ask),
    settings.callsExtensions ? discoverVariables(clusterClass, ask, pass) : [],
  ]);
  const variables = gatherVariables({ clusterClass, discoveries, meter: pass.meter ?? new WorkMeter(workOfPass) });
  return { clusterClass, templates, variables };
}

/** Only the metadata of a template is used or written. Each definition is read once. */
export function readTemplates(clusterClass: ClusterClass, ask: Reads): Promise<readonly ClassTemplate[]> {
  const definitions = new Map<string, Promise<Checked<string>>>();
  const latestOf = (name: string): Promise<Checked<string>> => {
    const latest = definitions.get(name) ?? readLatest(name, ask);
    definitions.set(name, latest);
    return latest;
  };
  return Promise.all(
    referencesOf(clusterClass).map(async ref => {
      const [object, latest] = await Promise.all([
        ask.metadata(toTemplateRef(clusterClass, ref)),
        latestOf(definitionOf(ref)),
      ]);
      return { ref, object, latest };
    }),
  );
}

/** Returns the version in which objects of this kind must be referenced, according to the contract. */
async function readLatest(name: string, ask: Reads): Promise<Checked<string>> {
  const answer = await ask.metadata({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
  return answer.ok
    ? mapChecked(chooseContract(answer.value), ({ version }) => version)
    : invalid(`failed to get CustomResourceDefinition metadata: ${answer.failure.message}`);
}

/**
 * The calls are sequential, so that patches with the same request share one call. A failed call does not stop the
 * others.
 */
async function discoverVariables(
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
