// Determines whether a ClusterClass may be created, changed or deleted. The rules are those of Cluster API's webhook.
import {
  type FieldError,
  forbidden,
  invalidValue,
  printFieldErrors,
  toDisplayName,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { printSemver, type Semver } from '@capi-serverless/apimachinery/semver';
import { compareVersionsWithBuild, parseVersion, toVersionText } from '@capi-serverless/cluster-api/contract';
import { clusterGroup } from '../api/cluster/reader.ts';
import { type ClassSpec, readClassSpec } from '../api/cluster-class/class-spec.ts';
import { readClusterTopology } from '../topology/model/cluster-topology.ts';
import { readVariableDefinitions, validateVariableDefinitions } from '../variables/index.ts';
import { problemsOfPatches } from './class-patches.ts';
import { type Denial, invalidUnlessEmpty } from './kinds/kind-rules.ts';
import { problemsOfNaming } from './naming.ts';
import { problemsOfChanges, problemsOfReferences } from './template-references.ts';
import { problemsOfUse } from './used-by.ts';
import {
  problemsOfAllMetadata,
  problemsOfAllTaints,
  problemsOfClassNames,
  problemsOfHealthChecks,
  problemsOfRollouts,
} from './workers.ts';

/** Feature gates that determine which fields a ClusterClass may have. */
export interface AdmissionGates {
  readonly clusterTopology: boolean;
  readonly runtimeSdk: boolean;
  readonly taintPropagation: boolean;
}

interface ClassChange {
  /** Absent if the class is created. */
  readonly old?: { readonly spec?: unknown } | undefined;
  readonly new: { readonly spec?: unknown };
  /** The Clusters that use the class. They are checked on updates. */
  readonly usedBy: readonly Unstructured[];
  readonly gates: AdmissionGates;
}

/** Returns all problems of the change, in order. */
function admitClusterClass({ old, new: changed, usedBy, gates }: ClassChange): readonly FieldError[] {
  if (!gates.clusterTopology) {
    return [forbidden('spec', 'can be set only if the ClusterTopology feature flag is enabled')];
  }
  const spec = readClassSpec(changed.spec);
  const before = old === undefined ? undefined : readClassSpec(old.spec);
  const variables = readVariableDefinitions(spec.variables);
  const names = new Set(variables.ok ? variables.value.map(({ name }) => name) : []);
  return [
    ...problemsOfReferences(spec),
    ...problemsOfClassNames(spec),
    ...problemsOfRollouts(spec),
    ...problemsOfHealthChecks(spec),
    ...problemsOfNaming(spec),
    ...problemsOfAllTaints(spec, gates.taintPropagation),
    ...(variables.ok
      ? validateVariableDefinitions(variables.value, 'spec.variables')
      : [invalidValue('spec.variables', undefined, variables.error)]),
    ...problemsOfPatches(spec, { runtimeSdk: gates.runtimeSdk, variables: names }),
    ...problemsOfAllMetadata(spec),
    ...problemsOfVersions(spec.kubernetesVersions),
    ...(before === undefined ? [] : problemsOfUpdate(before, spec, usedBy)),
  ];
}

/** Returns the reason why the change is refused, or `undefined`. */
export function denialOfClass(change: ClassChange): Denial | undefined {
  return denialBehindGate(change.gates.clusterTopology, admitClusterClass(change));
}

/** Without its feature gate, a kind is refused with the text of its error alone. */
export function denialBehindGate(isOn: boolean, errors: readonly FieldError[]): Denial | undefined {
  return isOn ? invalidUnlessEmpty(errors) : { reason: 'Forbidden', message: printFieldErrors(errors) };
}

function problemsOfUpdate(old: ClassSpec, spec: ClassSpec, usedBy: readonly Unstructured[]): readonly FieldError[] {
  const clusters = usedBy.map(({ metadata, spec: topology }) => ({
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    topology: readClusterTopology(toRecord(topology)['topology']),
  }));
  return [...problemsOfChanges(old, spec), ...problemsOfUse(old, spec, clusters)];
}

const mostNamed = 3;

/** Returns the reason why the class cannot be deleted if Clusters use it. */
export function forbidsClassDeletion(usedBy: readonly Unstructured[]): string | undefined {
  const names = usedBy.map(({ metadata }) => toDisplayName(metadata));
  const more = names.length > mostNamed ? `, ... (${names.length - mostNamed} more)` : '';
  const shown = `${names.slice(0, mostNamed).join(', ')}${more}`;
  return names.length === 0 ? undefined : `ClusterClass cannot be deleted because it is used by Cluster(s): ${shown}`;
}

/**
 * Returns true if the Cluster uses the class of this name. Without a namespace in the reference, the Cluster's
 * namespace is used.
 */
export function usesClass(cluster: Unstructured, of: { readonly namespace: string; readonly name: string }): boolean {
  const ref = readClusterTopology(toRecord(cluster.spec)['topology']).classRef;
  return (
    cluster.apiVersion.startsWith(`${clusterGroup}/`) &&
    ref.name === of.name &&
    (ref.namespace === '' ? (cluster.metadata.namespace ?? '') : ref.namespace) === of.namespace
  );
}

/** Checks the Kubernetes versions of a ClusterClass: semantic versions in ascending order. */
function problemsOfVersions(versions: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  let previous: Semver | undefined;
  for (const [index, text] of versions.entries()) {
    const field = `spec.kubernetesVersion[${index}]`;
    const version = parseVersion(text);
    if (version === undefined) {
      errors.push(invalidValue(field, text, 'version must be a valid semantic version'));
      continue;
    }
    if (previous !== undefined) {
      errors.push(...problemsOfStep(previous, version).map(problem => invalidValue(field, text, problem)));
    }
    previous = version;
  }
  return errors;
}

/** Two builds of one version are accepted in any order. */
function problemsOfStep(previous: Semver, version: Semver): readonly string[] {
  const { minor } = previous;
  const order = compareVersionsWithBuild(version, previous);
  const isGreater = order === 'incomparable' || order > 0;
  const isNext = version.minor === minor || version.minor === minor + 1n;
  return [
    ...(isGreater ? [] : [`version must be greater than ${toVersionText(previous)}`]),
    ...(isNext
      ? []
      : [`expecting a version with minor ${minor} or ${minor + 1n}, found version ${printSemver(version)}`]),
  ];
}
