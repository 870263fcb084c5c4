// Checks the topology fields that an update changes. The version may change if no upgrade is in progress. The class may
// change to one with the same kinds.

import {
  type FieldError,
  forbidden,
  internalError,
  quote,
  toDisplayName,
  toRecord,
} from '@capi-serverless/apimachinery';
import type { Cluster } from '../api/cluster/reader.ts';
import { type ClassSpec, readClassSpec } from '../api/cluster-class/class-spec.ts';
import { type ClusterTopology, readClusterTopology } from '../topology/model/cluster-topology.ts';
import { type ClassName, type ClusterChange, classNameOf } from './cluster-change.ts';
import { problemsOfChanges } from './template-references.ts';
import { problemsOfVersionChange, problemsOfVersionSyntax } from './version-change.ts';

/** One of these annotations disables the check. */
const anyClassAnnotation = 'unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check';
const anyVersionAnnotation = 'unsafe.topology.cluster.x-k8s.io/disable-update-version-check';

interface TopologyUpdate {
  readonly cluster: Cluster;
  readonly old: Cluster;
  readonly topology: ClusterTopology;
  readonly className: ClassName;
  readonly classSpec: ClassSpec | undefined;
}

interface Judgement {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

const path = 'spec.topology.class';

export function problemsOfTopologyUpdate(
  update: TopologyUpdate,
  change: Pick<ClusterChange, 'findClass' | 'progressOf'>,
): Judgement {
  const { cluster, old, topology, className, classSpec } = update;
  const { annotations } = cluster.metadata;
  if (classSpec === undefined) {
    const why = `ClusterClass ${toDisplayName(className)} not found`;
    return { errors: [internalError(path, why)], warnings: [] };
  }
  const stored = toRecord(toRecord(old.object.spec)['topology']);
  const before = readClusterTopology(stored);
  if (before.classRef.name === '') {
    const errors = Object.hasOwn(annotations, anyClassAnnotation)
      ? []
      : [forbidden(path, 'classRef cannot be set on an existing Cluster')];
    return { errors, warnings: [] };
  }
  // Both versions are the stored ones. The new version already has its prefix, but the old one may lack it.
  const versions = { old: String(stored['version'] ?? ''), new: topology.version };
  const isSkipped = Object.hasOwn(annotations, anyVersionAnnotation);
  const ofVersion = isSkipped
    ? []
    : problemsOfVersionChange({
        ...versions,
        annotations,
        isPlanned:
          classSpec.kubernetesVersions.length > 0 || classSpec.upgrade.external.generateUpgradePlanExtension !== '',
        progress: () => change.progressOf(old),
      });
  const skipped = `Skipping version validation for Cluster because annotation ${quote(anyVersionAnnotation)} is set.`;
  return {
    errors: [
      ...problemsOfVersionSyntax(versions),
      ...ofVersion,
      ...problemsOfClassChange(
        { name: classNameOf(before, old.metadata) },
        { name: className, spec: classSpec },
        change.findClass,
      ),
    ],
    warnings: isSkipped ? [skipped] : [],
  };
}

/** The old class may never have been reconciled. This may be the reason for the change. */
function problemsOfClassChange(
  old: { readonly name: ClassName },
  changed: { readonly name: ClassName; readonly spec: ClassSpec },
  findClass: ClusterChange['findClass'],
): readonly FieldError[] {
  const [from, to] = [toDisplayName(old.name), toDisplayName(changed.name)];
  if (from === to) {
    return [];
  }
  const found = findClass(old.name);
  if (found === undefined) {
    const missing = `ClusterClass.cluster.x-k8s.io ${quote(old.name.name)} not found`;
    const detail = `valid ClusterClass with name ${quote(from)} could not be retrieved, change from class ${quote(from)} to class ${quote(to)} cannot be validated. Error: ${missing}`;
    return [forbidden(path, detail)];
  }
  return problemsOfChanges(readClassSpec(found.spec), changed.spec);
}
