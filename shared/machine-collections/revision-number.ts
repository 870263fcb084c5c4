// The revision of a MachineSet or MachineDeployment, an integer of 64 bits.
import { type Checked, invalid, quote, valid } from '@capi-serverless/apimachinery';
import { revisionAnnotation } from './keys.ts';

/** The largest number that Go reads as an integer of 64 bits. */
const largest = 2n ** 63n - 1n;

/** Without the annotation, the revision is 0. The error has the wording of Go. */
export function revisionOf({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}): Checked<bigint> {
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
