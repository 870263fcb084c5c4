// The machine template that a control plane object references, in the form of its contract.
import { type Checked, groupOf, invalid, mapChecked, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { type ContractVersion, readMap } from '@capi-serverless/cluster-api/contract';
import type { ContractReference } from '../../../../shared/api/cluster/reader.ts';
import { controlPlanePaths, readVersionedReference } from '../desired/control-plane-paths.ts';

export function machineTemplateReference(object: Unstructured, contract: ContractVersion): Checked<ContractReference> {
  return contract === 'v1beta1' ? readOlderReference(object) : readReference(object);
}

/** The older form has an API version instead of an API group. */
function readOlderReference(object: Unstructured): Checked<ContractReference> {
  return mapChecked(readVersionedReference(object), ({ apiVersion, kind, name }) => ({
    apiGroup: groupOf(apiVersion),
    kind,
    name,
  }));
}

function readReference(object: Unstructured): Checked<ContractReference> {
  const path = controlPlanePaths.v1beta2.infrastructureRef;
  const found = readMap(object, path);
  switch (found.state) {
    case 'absent':
      return invalid(`field .${path} is not set`);
    case 'wrongType':
      return invalid(found.error);
    case 'value': {
      const { apiGroup, kind, name } = found.value;
      return valid({ apiGroup: toText(apiGroup), kind: toText(kind), name: toText(name) });
    }
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
