// The entries of the package: one module and one declaration file each. Other files cannot be imported.

export interface PackageEntry {
  /** The name of the file below dist/package. */
  readonly name: string;
  readonly source: string;
}

export const packageEntries: readonly PackageEntry[] = [
  { name: 'actuator', source: 'packages/provider-sdk/index.ts' },
  { name: 'testing', source: 'infra/package/testing.ts' },
  { name: 'aws', source: 'infra/package/aws.ts' },
  { name: 'lambda', source: 'infra/package/lambda.ts' },
  { name: 'timer', source: 'infra/package/timer.ts' },
];
