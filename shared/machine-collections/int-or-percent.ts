// A number of Machines, or a percentage of the replicas.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';

/** Returns the number that an integer or a percentage of the replicas means. */
export function resolveIntOrPercent(
  value: unknown,
  replicas: number,
  round: (share: number) => number,
): Checked<number> {
  if (Number.isInteger(value)) {
    return valid(Number(value));
  }
  if (value === undefined || value === null) {
    return invalid('nil value for IntOrString');
  }
  const percent = /^(\d+)%$/.exec(String(value))?.[1];
  return percent === undefined
    ? invalid('invalid value for IntOrString: invalid type: string is not a percentage')
    : valid(round((Number(percent) * replicas) / 100));
}
