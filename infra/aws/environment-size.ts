// The size of a function's environment. Lambda refuses more than 4 KB, but only while a stack is deployed:
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html. Pure.

/** Leaves a reserve for variables that an operator adds. */
const mostBytes = 3_584;

/** The longest values of pseudo parameters. */
const longest: Readonly<Record<string, number>> = {
  'AWS::AccountId': 12,
  'AWS::Partition': 10,
  'AWS::Region': 14,
  'AWS::URLSuffix': 16,
};
/** A bound for all other references, which are ARNs or names. */
const longestReference = 200;
/** A bound for the certificate authority of an EKS cluster that the same app creates, in base64. */
const longestCertificate = 1_600;

/** Returns the number of bytes of names and values. Values that are known only on AWS count with their longest form. */
export function toEnvironmentBytes(variables: Readonly<Record<string, unknown>>): number {
  return Object.entries(variables).reduce((sum, [name, value]) => sum + toBytes(name) + toBytes(value), 0);
}

/** Returns one line per problem. `variables` are resolved, as in the template. */
export function checkEnvironment(functionName: string, variables: Readonly<Record<string, unknown>>): string[] {
  const bytes = toEnvironmentBytes(variables);
  if (bytes <= mostBytes) {
    return [];
  }
  const sizes = Object.entries(variables)
    .map(([name, value]) => ({ name, size: toBytes(value) }))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 3);
  const list = sizes.map(({ name, size }) => `${name} (${size})`).join(', ');
  return [
    `The environment of function ${functionName} has ${bytes} bytes, more than ${mostBytes}; the longest values are ${list}`,
  ];
}

function toBytes(value: unknown): number {
  if (typeof value === 'string') {
    return Buffer.byteLength(value);
  }
  const { Ref: reference, 'Fn::Join': joined } = value as { readonly Ref?: string; readonly 'Fn::Join'?: unknown }; // true: a value is a text or an intrinsic function
  if (Array.isArray(joined)) {
    const [separator, parts] = joined as [string, readonly unknown[]]; // true: by the definition of the function
    const certificate = parts[0] === 'data:;base64,' ? longestCertificate - longestReference : 0;
    return parts.reduce<number>((sum, part) => sum + toBytes(part) + toBytes(separator), certificate);
  }
  return longest[reference ?? ''] ?? longestReference;
}
