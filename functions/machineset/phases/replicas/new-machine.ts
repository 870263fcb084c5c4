// The objects of a new Machine, computed from the templates of the MachineSet.
import {
  type Checked,
  groupOf,
  type Intent,
  invalid,
  toRecord,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel, setNameLabel, toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../../../shared/api/machine-deployment/reader.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { objectFromTemplate } from '../../../../shared/external/object-from-template.ts';
import type { TemplateRead } from '../../seen.ts';
import { controllerReference } from '../adoption.ts';
import { type MemberMetadata, machineFinalizer } from '../propagation/existing-machine.ts';

/** Returns what Machines, infrastructure machines and bootstrap configs get from the MachineSet. */
export function memberMetadata(machineSet: WholeMachineSet): MemberMetadata {
  const { labels, annotations } = machineSet.spec.template.metadata;
  const { name, labels: own } = machineSet.metadata;
  const deployment = own[deploymentNameLabel];
  return {
    labels: {
      ...labels,
      [setNameLabel]: toNameLabelValue(name),
      ...withoutUndefined({ [deploymentNameLabel]: deployment }),
    },
    annotations,
    owner: controllerReference(machineSet),
  };
}

/** Returns the bootstrap config or the infrastructure machine of the Machine with this name. */
export function cloneFor(name: string, machineSet: WholeMachineSet, read: TemplateRead): Checked<Intent> {
  switch (read.state) {
    case 'undefined':
      return invalid('object reference not set');
    case 'noTemplate':
      return invalid(`${read.ref.kind} ${read.ref.name} is not a template`);
    case 'missing':
    case 'failed':
      return invalid(read.problem);
    case 'found': {
      const { labels, annotations, owner } = memberMetadata(machineSet);
      const { controller: _, blockOwnerDeletion: _block, ...reference } = owner;
      const { namespace } = machineSet.metadata;
      return valid(
        objectFromTemplate(read.object, {
          name,
          namespace,
          labels: { ...labels, [clusterNameLabel]: machineSet.spec.clusterName },
          annotations,
          owner: reference,
        }),
      );
    }
  }
}

interface MachineObjects {
  readonly infrastructure: Intent;
  /** `undefined` if the template references none. */
  readonly bootstrap: Intent | undefined;
}

export function newMachine(name: string, machineSet: WholeMachineSet, objects: MachineObjects): Intent {
  const { labels, annotations, owner } = memberMetadata(machineSet);
  const { configRef: _, ...bootstrap } = toRecord(machineSet.machineSpec['bootstrap']);
  return {
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace: machineSet.metadata.namespace,
      labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      finalizers: [machineFinalizer],
      ownerReferences: [owner],
    },
    spec: {
      ...machineSet.machineSpec,
      clusterName: machineSet.spec.clusterName,
      infrastructureRef: referenceTo(objects.infrastructure),
      bootstrap: {
        ...bootstrap,
        ...(objects.bootstrap === undefined ? {} : { configRef: referenceTo(objects.bootstrap) }),
      },
    },
  };
}

function referenceTo({ apiVersion, kind, metadata }: Intent) {
  return { apiGroup: groupOf(apiVersion), kind, name: metadata.name };
}
