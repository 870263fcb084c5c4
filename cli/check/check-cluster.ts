// Validates Clusters of the files against their class in the files, with the rules of Cluster API's webhook.

import { type FieldError, type Intent, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { localAdmissionGates } from '../../local/admission.ts';
import { type ObjectProblem, toProblem } from '../../local/findings/finding.ts';
import { problemsOfPlainCluster } from '../../shared/admission/cluster.ts';
import { problemsOfConcurrency } from '../../shared/admission/concurrency.ts';
import { problemsOfTopologyAlone, problemsOfTopologyInClass } from '../../shared/admission/managed-topology.ts';
import { clusterApiVersion, readCluster } from '../../shared/api/cluster/reader.ts';
import { type ClassSpec, readClassSpec } from '../../shared/api/cluster-class/class-spec.ts';
import { readClusterTopology } from '../../shared/topology/model/cluster-topology.ts';
import { type CheckResult, classOf, type FileObjects } from './check-templates.ts';

const nothing: CheckResult = { problems: [], notes: [] };

/** Checks Clusters with and without class. Clusters in other API versions are not checked. */
export function checkCluster(object: Intent, objects: FileObjects): CheckResult {
  if (object.apiVersion !== clusterApiVersion) {
    return nothing;
  }
  // True for the parts that are read. A file contains no uid, and no uid is read.
  const cluster = readCluster(object as Unstructured);
  const plain = problemsOfPlainCluster(cluster).map(toProblem);
  if (!cluster.spec.topology.isDefined) {
    return { problems: plain, notes: [] };
  }
  const topology = readClusterTopology(toRecord(object['spec'])['topology']);
  const found = classOf(object, objects);
  const classSpec = typeof found === 'string' ? undefined : readClassSpec(found['spec']);
  const { name } = object.metadata;
  const errors = [
    ...problemsOfTopologyAlone(topology, localAdmissionGates.taintPropagation),
    ...problemsOfConcurrency(cluster.metadata.annotations),
    ...problemsOfTopologyInClass({ cluster: cluster.metadata, topology, className: topology.classRef, classSpec }),
  ];
  const note = `the class of Cluster ${name} is not in the files${elsewhere(topology.classRef, objects)}: its variables and workers were not checked`;
  return {
    problems: [...plain, ...errors.map(error => withRemedy(error, classSpec))],
    notes: classSpec === undefined ? [note] : [],
  };
}

/** Files of a class usually name no namespace, and those of a Cluster may. */
function elsewhere({ name }: { readonly name: string }, objects: FileObjects): string {
  const [namespace] = objects.namespacesOf({ apiVersion: clusterApiVersion, kind: 'ClusterClass', name });
  return namespace === undefined
    ? ''
    : `, which have ${name} in namespace ${namespace} (-n sets the namespace of objects that name none)`;
}

function withRemedy(error: FieldError, classSpec: ClassSpec | undefined): ObjectProblem {
  const { severity, message, field } = toProblem(error);
  const remedy = remedies.find(({ of }) => of.test(`${field}: ${error.detail}`));
  return {
    severity,
    // Returns the field as written in the file. The webhook uses other names for these fields.
    field: field.replace(/\.enable$/, '.enabled').replace(/^metadata\.annotations\.(.*)$/, 'metadata.annotations[$1]'),
    message: remedy === undefined ? message : `${message}; ${remedy.hint(classSpec)}`,
  };
}

interface Remedy {
  /** Matches `<field>: <detail>`. */
  readonly of: RegExp;
  hint(classSpec: ClassSpec | undefined): string;
}

function classesOf(list: 'machineDeployments' | 'machinePools'): Remedy['hint'] {
  return spec => `it has ${spec?.workers[list].map(each => each.class).join(', ') || 'none'}`;
}

const remedies: readonly Remedy[] = [
  { of: /^spec\.topology\.workers\.machineDeployments\[\d+\]\.class: /, hint: classesOf('machineDeployments') },
  { of: /^spec\.topology\.workers\.machinePools\[\d+\]\.class: /, hint: classesOf('machinePools') },
  { of: /version must match one/, hint: spec => `it has ${spec?.kubernetesVersions.join(', ')}` },
  { of: /valid semantic version$/, hint: () => 'write all three numbers, as in v1.36.0' },
  { of: /must be either an int or a percentage/, hint: () => 'write a number, or a percentage as in "25%"' },
  { of: /cannot both be 0$/, hint: () => 'one of them must be at least 1' },
  { of: /healthCheck definition is not available/, hint: () => 'set checks or remediation beside it' },
  {
    of: /machineInfrastructure is set in ClusterClass$/,
    hint: () => 'remove the healthCheck, or use another class',
  },
  { of: /must be at least 30s$/, hint: () => '0 disables the timeout' },
  { of: /autoscaler annotations$/, hint: () => 'remove replicas or the annotations' },
  { of: /upgrade-concurrency: /, hint: () => 'write a number from "1" on' },
];
