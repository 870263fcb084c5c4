// What the package exports: one module and one declaration file each; everything else of it stays out of reach.

export interface PackageEntry {
  /** Of the file below dist/package. */
  readonly name: string;
  readonly source: string;
}

export const packageEntries: readonly PackageEntry[] = [
  { name: 'actuator', source: 'packages/provider-sdk/index.ts' },
  { name: 'testing', source: 'infra/package/testing.ts' },
  { name: 'aws', source: 'infra/aws/provider.ts' },
  { name: 'lambda', source: 'infra/package/lambda.ts' },
  { name: 'timer', source: 'infra/package/timer.ts' },
];
