// The revision of a MachineSet and of its MachineDeployment: Nodes of an older MachineSet are outdated.
import { type Checked, valid } from '@capi-serverless/apimachinery';
import { revisionOf } from '../../../../shared/machine-collections/revision-number.ts';

type Annotated = Parameters<typeof revisionOf>[0];

/** Returns `undefined` unless both owners are known. */
export function isOutdated(
  machineSet: Annotated | undefined,
  machineDeployment: Annotated | undefined,
): Checked<boolean | undefined> {
  if (machineSet === undefined || machineDeployment === undefined) {
    return valid(undefined);
  }
  const older = revisionOf(machineSet);
  const newest = revisionOf(machineDeployment);
  if (!older.ok) {
    return older;
  }
  return newest.ok ? valid(older.value < newest.value) : newest;
}
