// The order of API versions: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
import { compareText } from '../text-order.ts';

/**
 * Negative if `a` has lower priority. The order is GA, beta, alpha, then by number. Other names are lowest, with "a"
 * above "b".
 */
export function compareApiVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) {
    return Number(left !== undefined) - Number(right !== undefined) || compareText(b, a);
  }
  return left.stability - right.stability || left.major - right.major || left.minor - right.minor;
}

interface ApiVersion {
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

const stabilities = ['alpha', 'beta'];

function parse(text: string): ApiVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, major, stage, minor] = match;
  const stability = stage === undefined ? stabilities.length : stabilities.indexOf(stage);
  return { stability, major: Number(major), minor: Number(minor ?? 0) };
}
