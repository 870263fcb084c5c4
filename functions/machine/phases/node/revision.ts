// The revision of a MachineSet and of its MachineDeployment: Nodes of an older MachineSet are outdated.
import { type Checked, invalid, quote, valid } from '@capi-serverless/apimachinery';

type Annotated = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };

export const revisionAnnotation = 'machinedeployment.clusters.x-k8s.io/revision';

/** The largest number that Go reads as an integer of 64 bits. */
const largest = 2n ** 63n - 1n;

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

/** Without the annotation, the revision is 0. */
function revisionOf({ metadata }: Annotated): Checked<bigint> {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) {
    return valid(0n);
  }
  const problem = (why: string) => invalid(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) {
    return problem('invalid syntax');
  }
  const value = BigInt(text.replace(/^\+/, ''));
  return value > largest || value < -largest - 1n ? problem('value out of range') : valid(value);
}
