// The rules of MachineDeployments.
import {
  andThen,
  type Checked,
  type FieldError,
  invalidValue,
  type JsonObject,
  mapChecked,
  problemsOfLabelValue,
  valueAt,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel, setAt } from '@capi-serverless/cluster-api/contract';
import { deploymentNameLabel } from '../../api/machine-deployment/reader.ts';
import { problemsOfAmount, problemsOfRollingUpdate } from '../workers.ts';
import {
  problemsOfMachineNaming,
  problemsOfNodeTaints,
  problemsOfReplicated,
  problemsOfTemplateMetadata,
  problemsOfVersion,
} from './checks.ts';
import { withOwnLabel, withReplicas, withSelectedLabel, withVersionPrefix } from './common-defaults.ts';
import { type CheckedWrite, invalidUnlessEmpty, type KindRules } from './kind-rules.ts';
import { textAt, withDefault } from './object-fields.ts';

const maxInFlight = 'spec.remediation.maxInFlight';
const strategy = 'spec.rollout.strategy';

export const machineDeploymentRules: KindRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineDeployment',
  defaults: defaultMachineDeployment,
  denialOf: change => {
    const { object, gates } = change;
    return invalidUnlessEmpty([
      ...problemsOfName(object),
      ...problemsOfReplicated(change, 'Forbidden'),
      ...problemsOfRollingUpdate(valueAt(object, 'spec.rollout'), `${strategy}.rollingUpdate`),
      ...problemsOfAmount(amountAt(object, maxInFlight), maxInFlight),
      ...problemsOfVersion(object, 'spec.template.spec.version'),
      ...problemsOfMachineNaming(object),
      ...problemsOfNodeTaints(object, 'spec.template.spec.taints', { isWorker: true, gates }),
      ...problemsOfTemplateMetadata(object),
    ]);
  },
};

/** A text that is no percentage is a problem, and a number never is. */
function amountAt(object: JsonObject, path: string): string | undefined {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : undefined;
}

function problemsOfName(object: JsonObject): readonly FieldError[] {
  const name = textAt(object, 'metadata.name');
  return problemsOfLabelValue(name).map(problem =>
    invalidValue('metadata.name', name, `must be a valid label value: ${problem}`),
  );
}

function defaultMachineDeployment(change: CheckedWrite): Checked<JsonObject> {
  const selecting = andThen(withReplicas(change, 'MachineDeployment'), object => {
    const value = textAt(object, 'metadata.name');
    return withOwnLabel(object, { kind: 'MachineDeployment', label: deploymentNameLabel, value });
  });
  return mapChecked(selecting, object => {
    const ofCluster = withSelectedLabel(object, [clusterNameLabel, textAt(object, 'spec.clusterName')]);
    return withVersionPrefix(withStrategy(ofCluster), 'spec.template.spec.version');
  });
}

function withStrategy(object: JsonObject): JsonObject {
  const typed = textAt(object, `${strategy}.type`) === '' ? setAt(object, `${strategy}.type`, 'RollingUpdate') : object;
  if (textAt(typed, `${strategy}.type`) !== 'RollingUpdate') {
    return typed;
  }
  const surging = withDefault(typed, `${strategy}.rollingUpdate.maxSurge`, 1);
  return withDefault(surging, `${strategy}.rollingUpdate.maxUnavailable`, 0);
}
