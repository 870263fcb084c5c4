// Rules for names, labels and qualified names: the first problem of each. RFC 1123 and the Kubernetes documentation on object
// names and labels.
import {
  dns1123LabelProblems,
  problemsOfLabelKey,
  problemsOfLabelValue,
  problemsOfSubdomain,
} from '@capi-serverless/apimachinery';

/** Returns the problem of the name, or undefined. */
export function problemOfName(name: string, rule: 'subdomain' | 'label'): string | undefined {
  return (rule === 'label' ? dns1123LabelProblems(name) : problemsOfSubdomain(name))[0];
}

/** A qualified name has at most 63 characters. An optional DNS subdomain and a slash precede it. */
export function problemOfQualifiedName(name: string): string | undefined {
  return problemsOfLabelKey(name)[0];
}

export function problemOfLabelValue(value: string): string | undefined {
  return problemsOfLabelValue(value)[0];
}
