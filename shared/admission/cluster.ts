// Determines whether a Cluster may be created or changed, and sets its defaults. The rules are those of Cluster API's
// webhooks. The deletion of a Cluster is never refused.
import {
  type FieldError,
  forbidden,
  invalidValue,
  problemsOfLabelValue,
  requiredValue,
  toDisplayName,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { isAddress } from '@capi-serverless/apimachinery/text-formats';
import * as z from 'zod/mini';
import { type Cluster, isDefined, readCluster } from '../api/cluster/reader.ts';
import { readClassSpec } from '../api/cluster-class/class-spec.ts';
import { readClusterClass } from '../api/cluster-class/reader.ts';
import { isUsable } from '../api/cluster-class/usable.ts';
import { listOf, section } from '../api/fields.ts';
import { readClusterTopology } from '../topology/model/cluster-topology.ts';
import { type ClassName, type ClusterChange, classNameOf } from './cluster-change.ts';
import { defaultCluster } from './cluster-defaults.ts';
import { problemsOfTopologyUpdate } from './cluster-update.ts';
import { problemsOfConcurrency } from './concurrency.ts';
import { problemsOfTopologyAlone, problemsOfTopologyInClass } from './managed-topology.ts';

type ClusterVerdict =
  | {
      readonly admitted: true;
      /** The Cluster with defaults. */
      readonly cluster: Unstructured;
      readonly warnings: readonly string[];
    }
  | {
      readonly admitted: false;
      /** Upstream has two webhooks: the second one validates the result of the first. */
      readonly by: 'default' | 'validation';
      readonly errors: readonly FieldError[];
      readonly warnings: readonly string[];
    };

/** Does not wait for the class. Upstream waits two seconds until a class is created and reconciled. */
export function admitCluster(change: ClusterChange): ClusterVerdict {
  const defaulted = defaultCluster(change);
  if (defaulted.errors.length > 0) {
    return { admitted: false, by: 'default', errors: defaulted.errors, warnings: [] };
  }
  const { cluster } = defaulted;
  const { errors, warnings } = validateCluster(cluster, change);
  return errors.length === 0
    ? { admitted: true, cluster, warnings }
    : { admitted: false, by: 'validation', errors, warnings };
}

interface Judgement {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** Returns all problems of the Cluster as it will be stored, in order. */
export function validateCluster(object: Unstructured, change: Omit<ClusterChange, 'cluster'>): Judgement {
  const cluster = readCluster(object);
  const old = change.old === undefined ? undefined : readCluster(change.old);
  const isManaged = cluster.spec.topology.isDefined;
  const ofTopology = isManaged ? validateTopology(cluster, old, change) : { errors: [], warnings: [] };
  const isRemoved = old?.spec.topology.isDefined === true && !isManaged;
  return {
    errors: [
      ...problemsOfPlainCluster(cluster, old),
      ...ofTopology.errors,
      ...(isRemoved ? [forbidden('spec.topology', 'cannot be removed from an existing Cluster')] : []),
    ],
    warnings: ofTopology.warnings,
  };
}

/** The checks of Clusters with and without topology. */
export function problemsOfPlainCluster({ metadata, spec, object }: Cluster, old?: Cluster): readonly FieldError[] {
  const { controlPlaneRef, infrastructureRef, topology } = spec;
  const isRemoved = (reference: 'controlPlaneRef' | 'infrastructureRef'): boolean =>
    old !== undefined && isDefined(old.spec[reference]) && !isDefined(spec[reference]);
  const isEmpty = !isDefined(controlPlaneRef) && !isDefined(infrastructureRef) && !topology.isDefined;
  const empty = 'one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set';
  return [
    ...problemsOfLabelValue(metadata.name).map(problem =>
      invalidValue('metadata.name', metadata.name, `must be a valid label value ${problem}`),
    ),
    ...(isRemoved('infrastructureRef') ? [forbidden('spec.infrastructureRef', 'cannot be removed')] : []),
    ...(isEmpty ? [forbidden('spec', empty)] : []),
    ...(isRemoved('controlPlaneRef') ? [forbidden('spec.controlPlaneRef', 'cannot be removed')] : []),
    ...problemsOfNetwork(object.spec),
  ];
}

function validateTopology(
  cluster: Cluster,
  old: Cluster | undefined,
  change: Omit<ClusterChange, 'cluster'>,
): Judgement {
  const { gates, findClass } = change;
  if (!gates.clusterTopology) {
    const detail = 'can be set only if the ClusterTopology feature flag is enabled';
    return { errors: [forbidden('spec.topology', detail)], warnings: [] };
  }
  const { metadata, object } = cluster;
  const topology = readClusterTopology(toRecord(object.spec)['topology']);
  if (topology.classRef.name === '') {
    return { errors: [requiredValue('spec.topology.class', 'classRef.name cannot be empty')], warnings: [] };
  }
  const className = classNameOf(topology, metadata);
  const found = findClass(className);
  const classSpec = found === undefined ? undefined : readClassSpec(found.spec);
  const update =
    old === undefined
      ? { errors: [], warnings: [] }
      : problemsOfTopologyUpdate({ cluster, old, topology, className, classSpec }, change);
  return {
    errors: [
      ...problemsOfTopologyAlone(topology, gates.taintPropagation),
      ...problemsOfConcurrency(metadata.annotations),
      ...problemsOfTopologyInClass({ cluster: metadata, topology, className, classSpec }),
      ...update.errors,
    ],
    warnings: [...warningsOfClass(found, className), ...update.warnings],
  };
}

function warningsOfClass(found: Unstructured | undefined, className: ClassName): readonly string[] {
  const begin = `Cluster refers to ClusterClass ${toDisplayName(className)}, but this ClusterClass`;
  const incomplete = 'Cluster topology has not been fully validated.';
  if (found === undefined) {
    return [`${begin} does not exist. ${incomplete} The ClusterClass must be created to reconcile the Cluster`];
  }
  return isUsable(readClusterClass(found))
    ? []
    : [`${begin} hasn't been successfully reconciled. ${incomplete} Please take a look at the ClusterClass status`];
}

const ranges = section({ cidrBlocks: listOf(z.string()) });
const network = section({ clusterNetwork: section({ pods: ranges, services: ranges }) });

/** Checks the address ranges in the network of a Cluster. */
function problemsOfNetwork(spec: unknown): readonly FieldError[] {
  const { pods, services } = network.parse(spec).clusterNetwork;
  const check = (name: 'pods' | 'services', blocks: readonly string[]) =>
    blocks.flatMap((block, index) =>
      isRange(block)
        ? []
        : [invalidValue(`spec.clusterNetwork.${name}.cidrBlocks[${index}]`, block, `invalid CIDR address: ${block}`)],
    );
  return [...check('pods', pods.cidrBlocks), ...check('services', services.cidrBlocks)];
}

/** An address without leading zeros, and a prefix length. */
function isRange(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const longest = address.includes(':') ? 128 : 32;
  return rest.length === 0 && isAddress(address) && /^\d+$/.test(prefix) && Number(prefix) <= longest;
}
