// The adapters, and the allowed locations of packages. `allowances.test.ts` reports entries that match nothing.

export const purePackages: readonly RegExp[] = [/^zod\/mini$/, /^yaml$/, /^@marcbachmann\/cel-js$/, /^re2js$/];

export const adapters: readonly RegExp[] = [
  /^shared\/aws\//,
  /^shared\/kubernetes\/rest\//,
  /^shared\/kubernetes\/credentials\//,
  /^shared\/workqueue\/sqs\//,
  /^shared\/certificates\/x509\//,
  /^shared\/runtime-hooks\/client\//,
  /^shared\/telemetry\//,
  /^shared\/lambda\//,
  /^functions\/[^/]+\/handler\.ts$/,
  /^functions\/watch-forwarder\/main\.ts$/,
  /^infra\//,
  /^local\//,
  /^cli\//,
  /^packages\/apiserver\//,
  /^packages\/apimachinery\/system-clock/,
];

/** Digests are deterministic. They are used for templates and for names of objects. */
export const digests: readonly string[] = [
  'packages/go-template/functions/digests.ts',
  'functions/topology/plan/names/name-candidates.ts',
];

interface PackageAllowance {
  readonly pattern: RegExp;
  readonly where: readonly RegExp[];
  readonly reason: string;
}

export const packageAllowances: readonly PackageAllowance[] = [
  {
    pattern: /^@(aws-sdk|smithy)\//,
    where: [/^shared\/aws\//, /^shared\/workqueue\/sqs\//, /^local\//],
    reason: 'queues and secrets are ports',
  },
  { pattern: /^@middy\//, where: [/^shared\/lambda\//], reason: 'reconcilers do not depend on Lambda' },
  {
    pattern: /^@kubernetes\/client-node/,
    where: [/^cli\/kubeconfig\//],
    reason: 'a TLS connection per request',
  },
  { pattern: /^(aws-cdk-lib|constructs|cdk-nag)/, where: [/^infra\/aws\//], reason: 'deployment only' },
  {
    pattern: /^(@peculiar\/x509|reflect-metadata)$/,
    where: [/^shared\/certificates\/x509\//],
    reason: 'large: a lazily loaded chunk',
  },
  { pattern: /^(esbuild|fauxqs)/, where: [/^infra\//, /^local\//], reason: 'tools, not runtime' },
  {
    pattern: /^node:(?!crypto$|util$)/,
    where: [
      /^shared\/aws\//,
      /^shared\/kubernetes\/rest\//,
      /^shared\/kubernetes\/credentials\//,
      /^shared\/runtime-hooks\/client\//,
      /^shared\/telemetry\//,
      /^shared\/diagnostics\//,
      /^shared\/lambda\//,
      /^packages\/apiserver\//,
      /^packages\/apimachinery\/system-clock/,
      /^infra\//,
      /^local\//,
      /^cli\//,
    ],
    reason: 'no I/O outside adapters',
  },
];

/** Pairs of folders beside each other that still import each other. A pair that no longer does fails the test. */
export const twoWayFolders: readonly string[] = [
  'functions/topology/plan/current ↔ functions/topology/plan/desired',
  'functions/topology/plan/desired ↔ functions/topology/plan/names',
  'infra ↔ local',
  'packages/apiserver/audit ↔ packages/apiserver/http',
];
