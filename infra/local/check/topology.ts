// Clusters of the files: what Cluster API's webhook would say, by their class in the files.

import { problemsOfPlainCluster } from '../../../shared/admission/cluster.ts';
import { problemsOfConcurrency } from '../../../shared/admission/concurrency.ts';
import { problemsOfTopologyAlone, problemsOfTopologyInClass } from '../../../shared/admission/topology.ts';
import { clusterApiVersion, readCluster } from '../../../shared/api/cluster/reader.ts';
import type { FieldError } from '../../../shared/api/field-error.ts';
import { toRecord } from '../../../shared/api/fields.ts';
import type { Intent, Unstructured } from '../../../shared/api/object.ts';
import { type ClassSpec, readClassSpec } from '../../../shared/topology/model/class-spec.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import { localAdmissionGates } from '../admission.ts';
import { type Problem, toProblem } from './finding.ts';
import { classOf, type Objects, type Told } from './references.ts';

const nothing: Told = { problems: [], notes: [] };

/** With and without class; of versions of the API that are not ours nothing is known. */
export function checkCluster(object: Intent, objects: Objects): Told {
  if (object.apiVersion !== clusterApiVersion) {
    return nothing;
  }
  // True of what is read of it: files hold no uid, and nobody asks for one.
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
  const note = `the class of Cluster ${name} is not in the files: its variables and workers were not checked`;
  return {
    problems: [...plain, ...errors.map(error => withRemedy(error, classSpec))],
    notes: classSpec === undefined ? [note] : [],
  };
}

function withRemedy(error: FieldError, classSpec: ClassSpec | undefined): Problem {
  const { severity, message, field } = toProblem(error);
  const remedy = remedies.find(({ of }) => of.test(`${field}: ${error.detail}`));
  return {
    severity,
    // As it stands in the file; the webhook's words differ for these.
    field: field.replace(/\.enable$/, '.enabled').replace(/^metadata\.annotations\.(.*)$/, 'metadata.annotations[$1]'),
    message: remedy === undefined ? message : `${message}; ${remedy.tell(classSpec)}`,
  };
}

interface Remedy {
  /** Matches `<field>: <detail>`. */
  readonly of: RegExp;
  tell(classSpec: ClassSpec | undefined): string;
}

function classesOf(list: 'machineDeployments' | 'machinePools'): Remedy['tell'] {
  return spec => `it has ${spec?.workers[list].map(each => each.class).join(', ') || 'none'}`;
}

const remedies: readonly Remedy[] = [
  { of: /^spec\.topology\.workers\.machineDeployments\[\d+\]\.class: /, tell: classesOf('machineDeployments') },
  { of: /^spec\.topology\.workers\.machinePools\[\d+\]\.class: /, tell: classesOf('machinePools') },
  { of: /version must match one/, tell: spec => `it has ${spec?.kubernetesVersions.join(', ')}` },
  { of: /valid semantic version$/, tell: () => 'write all three numbers, as in v1.36.0' },
  { of: /must be either an int or a percentage/, tell: () => 'write a number, or a percentage as in "25%"' },
  { of: /cannot both be 0$/, tell: () => 'one of them must be at least 1' },
  { of: /healthCheck definition is not available/, tell: () => 'say checks or remediation beside it' },
  {
    of: /machineInfrastructure is set in ClusterClass$/,
    tell: () => 'take the healthCheck away, or use another class',
  },
  { of: /must be at least 30s$/, tell: () => '0 waits for ever' },
  { of: /autoscaler annotations$/, tell: () => 'take replicas or the annotations away' },
  { of: /upgrade-concurrency: /, tell: () => 'write a number from "1" on' },
];
