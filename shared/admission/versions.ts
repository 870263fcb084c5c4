// Checks the Kubernetes versions of a ClusterClass: semantic versions in ascending order.
import { type FieldError, invalidValue } from '@capi-serverless/apimachinery';
import { printSemver, type Semver } from '@capi-serverless/apimachinery/semver';
import { compareVersionsWithBuild, parseVersion, toVersionText } from '@capi-serverless/cluster-api/contract';

export function problemsOfVersions(versions: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  let previous: Semver | undefined;
  for (const [index, text] of versions.entries()) {
    const field = `spec.kubernetesVersion[${index}]`;
    const version = parseVersion(text);
    if (version === undefined) {
      errors.push(invalidValue(field, text, 'version must be a valid semantic version'));
      continue;
    }
    if (previous !== undefined) {
      errors.push(...problemsOfStep(previous, version).map(problem => invalidValue(field, text, problem)));
    }
    previous = version;
  }
  return errors;
}

/** Two builds of one version are accepted in any order. */
function problemsOfStep(previous: Semver, version: Semver): readonly string[] {
  const { minor } = previous;
  const order = compareVersionsWithBuild(version, previous);
  const isGreater = order === 'incomparable' || order > 0;
  const isNext = version.minor === minor || version.minor === minor + 1n;
  return [
    ...(isGreater ? [] : [`version must be greater than ${toVersionText(previous)}`]),
    ...(isNext
      ? []
      : [`expecting a version with minor ${minor} or ${minor + 1n}, found version ${printSemver(version)}`]),
  ];
}
