// The schema of deployments: one entry per management cluster, validated before synthesis.
import { readFileSync } from 'node:fs';
import { toSchemaProblem } from '@capi-serverless/apimachinery';
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { parse } from 'yaml';
import * as z from 'zod';
import { ConfigError, parseConfig } from '../../shared/config/env.ts';
import { metricLevels } from '../../shared/telemetry/published-metrics.ts';
import { forwarderAccount } from '../kubernetes/identities.ts';
import { findSharedName } from './physical-names.ts';

/** An invalid deployment. The message is one line with the deployment and the field. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

function text(pattern: RegExp, expected: string) {
  return z.string().regex(pattern, `must be ${expected}`);
}

const secretArn = text(
  /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
  'the complete ARN of a secret, with its six random characters',
);
/** IAM statements cannot name aliases of keys. */
const kmsKeyArn = text(
  /^arn:[\w-]+:kms:[a-z0-9-]+:\d{12}:key\/(mrk-)?[0-9a-f-]{32,36}$/,
  'the ARN of a KMS key, with its id and not an alias',
);
const roleArn = text(/^arn:[\w-]+:iam::\d{12}:oidc-provider\/[\w./-]+$/, 'the ARN of an IAM OIDC provider');
const securityGroup = text(/^sg-[0-9a-f]{8,17}$/, 'the id of a security group, sg-…');
const eksName = text(/^[A-Za-z0-9][\w-]{0,99}$/, 'the name of an EKS cluster');

const eks = z.strictObject({
  kind: z.literal('eks'),
  cluster: eksName,
  endpoint: text(/^https:\/\/[^\s/?#@]+$/, 'the https address of "aws eks describe-cluster"'),
  /** The certificate as base64 of PEM, as in the output of `aws eks describe-cluster`. */
  certificateAuthority: text(/^LS0tLS1CRUdJTi[A-Za-z0-9+/=]+$/, 'the certificate authority data, base64 of PEM'),
  /** If false, the administrator of the cluster maps the role of each function to its group. */
  accessEntries: z.boolean().default(true),
  /** The security group of the cluster, which must allow access by the functions. Only with a VPC. */
  securityGroup: securityGroup.optional(),
});

/** Any API server, with a self-contained kubeconfig. Without an ARN, the stack creates an empty secret for it. */
const kubeconfig = z.strictObject({
  kind: z.literal('kubeconfig'),
  secretArn: secretArn.optional(),
  /** The customer-managed key of the secret. */
  kmsKeyArn: kmsKeyArn.optional(),
});

const vpc = z.strictObject({
  id: text(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC, vpc-…'),
  subnets: z.array(text(/^subnet-[0-9a-f]{8,17}$/, 'the id of a subnet, subnet-…')).min(1),
});

/** The namespace of its pods. Two deployments in one cluster need different ones. */
const namespace = text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a namespace').default(forwarderAccount.namespace);

const forwarderIdentity = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pod-identity'), cluster: eksName, namespace }),
  z.strictObject({ kind: z.literal('irsa'), oidcProvider: roleArn, namespace }),
]);

const sources = z.strictObject({
  /** The identity of the watch-forwarder's pods. */
  forwarder: forwarderIdentity.optional(),
  windowed: z.boolean().default(false),
  auditWebhook: z
    .strictObject({
      /** function-url: free, but not in all regions. http-api: an HTTP API of API Gateway. */
      door: z.enum(['function-url', 'http-api']).default('function-url'),
      /**
       * The reserved concurrency. The API server repeats throttled requests. 0 reserves nothing: an account whose
       * quota is small, as in new accounts, cannot reserve concurrency.
       */
      concurrency: z.int().min(0).max(100).default(5),
      /**
       * The days between token rotations. The previous token stays valid until the next rotation. 0 disables automatic
       * rotation.
       */
      rotateTokenDays: z.int().min(0).max(1000).default(90),
      /** The customer-managed key of the token's secret. */
      kmsKeyArn: kmsKeyArn.optional(),
    })
    .optional(),
  /** The EKS cluster with the audit log. */
  auditLogOf: eksName.optional(),
});

const functionSettings = z.strictObject({
  watchFilter: z.string().optional(),
  featureGates: z.string().optional(),
  remoteProbe: z.string().optional(),
  remoteConnectionGracePeriodSeconds: z.int().optional(),
  remoteAddresses: z.string().optional(),
  classNamespaces: z.string().optional(),
  stateNamespace: z.string().optional(),
  providerGroups: z.array(z.string()).min(1).optional(),
  extensionServices: z.string().optional(),
  extensionClientCertificateSecret: secretArn.optional(),
  /** The customer-managed key of that secret. It is not a setting of the functions. */
  extensionClientCertificateKmsKeyArn: kmsKeyArn.optional(),
  logLevel: z.string().optional(),
});

const snsTopic = text(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}(\.fifo)?$/, 'the ARN of an SNS topic');

const monitoring = z.strictObject({
  /** essential: no function alarm if the alarms of its queue cover it. all: alarms for every function. */
  alarms: z.enum(['none', 'essential', 'all']).default('essential'),
  /** The receiver of notifications when an alarm changes to ALARM or to OK. */
  topic: snsTopic.optional(),
  /** The location of the runbook in alarm descriptions. */
  runbook: text(/^[^\s#]{1,300}$/, 'a path or an address without a fragment').default('docs/runbook.md'),
  dashboard: z.boolean().default(true),
  /** The metrics of this project that become CloudWatch metrics. */
  metrics: z.enum(metricLevels).default('few'),
  /** Whether each reconcile is sent as an X-Ray span. */
  tracing: z.boolean().default(false),
});

export const deploymentSchema = z.strictObject({
  /** The name of the stack, and the prefix of its queues, functions and log groups. */
  name: text(/^[a-z][a-z0-9-]{1,28}[a-z0-9]$/, '3 to 30 lower-case letters, digits and hyphens'),
  account: text(/^\d{12}$/, 'twelve digits').optional(),
  region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1').optional(),
  /** The uid of the kube-system namespace. By default it is read from the API server. */
  managementCluster: z.uuid('must be a uid').optional(),
  apiServer: z.discriminatedUnion('kind', [eks, kubeconfig]).default({ kind: 'kubeconfig' }),
  vpc: vpc.optional(),
  sources: sources.default({ windowed: false }),
  /** The maximum concurrency of each event source mapping. Reserved concurrency would throttle and waste receives. */
  concurrency: z.int().min(2).max(1000).default(20),
  /**
   * uncapped: the timer and resync functions have no maximum concurrency. Lambda then polls their queues with fewer
   * pollers. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  plumbing: z.enum(['capped', 'uncapped']).default('capped'),
  /** The limits follow from the rates of EventBridge Scheduler. */
  resyncPeriodMinutes: z.int().min(1).max(1440).default(10),
  /** At least the resync period. At most 30 days. */
  fullResyncPeriodMinutes: z.int().min(1).max(43_200).default(1440),
  /** The namespaces in which functions may use Secrets: those of all Clusters. Default: all namespaces. */
  secretNamespaces: z
    .array(text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a namespace'))
    .min(1)
    .optional(),
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  settings: functionSettings.default({}),
  monitoring: monitoring.prefault({}),
});

export type Deployment = z.infer<typeof deploymentSchema>;
export type ApiServerSettings = Deployment['apiServer'];

type SettingField = Exclude<keyof Deployment['settings'], 'extensionClientCertificateKmsKeyArn'>;

const settingNames: Readonly<Record<SettingField, string>> = {
  watchFilter: 'CAPI_WATCH_FILTER',
  featureGates: 'CAPI_FEATURE_GATES',
  remoteProbe: 'CAPI_REMOTE_PROBE',
  remoteConnectionGracePeriodSeconds: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
  remoteAddresses: 'CAPI_REMOTE_ADDRESSES',
  classNamespaces: 'CAPI_CLASS_NAMESPACES',
  stateNamespace: 'CAPI_STATE_NAMESPACE',
  providerGroups: 'CAPI_PROVIDER_GROUPS',
  extensionServices: 'CAPI_EXTENSION_SERVICES',
  extensionClientCertificateSecret: 'CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
  logLevel: 'CAPI_LOG_LEVEL',
};

/** The environment variables that all functions of the deployment share. */
export function toSettings(deployment: Deployment): Readonly<Record<string, string>> {
  const given = Object.entries(settingNames).flatMap(([field, variable]) => {
    const value = deployment.settings[field as SettingField]; // true: it is a key of this object
    return value === undefined ? [] : [[variable, String(value)] as const];
  });
  return {
    ...Object.fromEntries(given),
    ...(deployment.managementCluster === undefined ? {} : { CAPI_MANAGEMENT_CLUSTER: deployment.managementCluster }),
    CAPI_RESYNC_PERIOD_SECONDS: String(deployment.resyncPeriodMinutes * 60),
    CAPI_FULL_RESYNC_PERIOD_SECONDS: String(deployment.fullResyncPeriodMinutes * 60),
    CAPI_METRICS: deployment.monitoring.metrics,
    CAPI_DEPLOYMENT: deployment.name,
    CAPI_TRACING: deployment.monitoring.tracing ? 'xray' : 'off',
  };
}

/** The feature gates of the deployment. */
export function toFeatureGates(deployment: Deployment): FeatureGates {
  return parseConfig(toSettings(deployment)).featureGates;
}

/** The API groups whose kinds Clusters may name. */
export function toProviderGroups(deployment: Deployment): readonly string[] {
  return parseConfig(toSettings(deployment)).providerGroups;
}

/**
 * Reads the context `deployments`: a list, or the path of a YAML or JSON file with a list. Without this context,
 * returns one deployment with all defaults. Throws DeploymentError.
 */
export function readDeployments(context: unknown): readonly Deployment[] {
  if (context === undefined) {
    return parseDeployments([{ name: 'capi-serverless' }]);
  }
  return parseDeployments(typeof context === 'string' ? readList(context) : context);
}

function readList(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new DeploymentError(`Deployments file ${file} cannot be read: ${toSchemaProblem(cause)}`, { cause });
  }
}

/** Throws DeploymentError with one line about the first invalid deployment, or about two that conflict. */
export function parseDeployments(value: unknown): readonly Deployment[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new DeploymentError('Deployments must be a list of at least one deployment');
  }
  const deployments = value.map((entry: unknown, index) => parseDeployment(entry, index));
  deployments.forEach((one, index) => {
    for (const other of deployments.slice(index + 1)) {
      refusePair(one, other);
    }
  });
  return deployments;
}

function parseDeployment(value: unknown, index: number): Deployment {
  const parsed = deploymentSchema.safeParse(value);
  const name = parsed.data?.name ?? nameOf(value) ?? `number ${index + 1}`;
  const refuse = (problem: string): never => {
    throw new DeploymentError(`Deployment ${name}: ${problem}`);
  };
  if (!parsed.success) {
    return refuse(toSchemaProblem(parsed.error));
  }
  const problem = findContradiction(parsed.data) ?? findKeyProblem(parsed.data) ?? findSettingProblem(parsed.data);
  return problem === undefined ? parsed.data : refuse(problem);
}

function nameOf(value: unknown): string | undefined {
  return z.object({ name: z.string().max(30) }).safeParse(value).data?.name;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html, as of November 2026 */
const regionsWithoutFunctionUrls: readonly string[] = [
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
];

function findContradiction({
  apiServer,
  region = '',
  vpc: network,
  sources: from,
  managementCluster,
  settings,
}: Deployment): string | undefined {
  if (settings.extensionServices === 'dns' && network === undefined) {
    return 'settings.extensionServices: dns requires a VPC whose DNS resolves the Services; set vpc as well';
  }
  if (apiServer.kind === 'eks' && apiServer.securityGroup !== undefined && network === undefined) {
    return 'apiServer.securityGroup: requires a VPC; set vpc as well';
  }
  if (from.auditLogOf !== undefined && apiServer.kind === 'eks' && apiServer.cluster !== from.auditLogOf) {
    return `sources.auditLogOf: differs from apiServer.cluster, ${apiServer.cluster}`;
  }
  if (from.auditWebhook?.door === 'function-url' && regionsWithoutFunctionUrls.includes(region)) {
    return `sources.auditWebhook.door: ${region} has no Function URLs; set it to http-api`;
  }
  if (apiServer.kind === 'kubeconfig' && from.auditWebhook !== undefined && managementCluster === undefined) {
    return (
      'sources.auditWebhook: the public function would get the kubeconfig of all functions only to read one uid; ' +
      'set managementCluster: kubectl get namespace kube-system -o jsonpath={.metadata.uid}'
    );
  }
  return undefined;
}

/** A secret and its key are in one region. */
function findKeyProblem({ apiServer, sources, settings, region }: Deployment): string | undefined {
  const { extensionClientCertificateSecret: certificate, extensionClientCertificateKmsKeyArn: itsKey } = settings;
  if (itsKey !== undefined && certificate === undefined) {
    return 'settings.extensionClientCertificateKmsKeyArn: set extensionClientCertificateSecret as well';
  }
  const own =
    region === undefined ? [] : [{ field: 'sources.auditWebhook', key: sources.auditWebhook?.kmsKeyArn, region }];
  const named = [
    ...own,
    ...(apiServer.kind === 'kubeconfig'
      ? [{ field: 'apiServer', key: apiServer.kmsKeyArn, region: apiServer.secretArn?.split(':')[3] ?? region }]
      : []),
    { field: 'settings', key: itsKey, region: certificate?.split(':')[3] },
  ];
  const wrong = named.find(
    ({ key, region: wanted }) => key !== undefined && wanted !== undefined && key.split(':')[3] !== wanted,
  );
  return wrong && `${wrong.field}: the KMS key is not in ${wrong.region}, the region of its secret`;
}

/** Throws DeploymentError if the deployment can share names with another one, given the names of its resources. */
export function refuseSharedName(deployment: string, names: readonly string[]): void {
  const shared = findSharedName(deployment, names);
  if (shared !== undefined) {
    const { other, physicalName } = shared;
    throw new DeploymentError(
      `Deployment ${deployment}: ${physicalName} can also be a name of deployment ${other}; choose another name`,
    );
  }
}

/** Returns problems that prevent the functions from starting. */
function findSettingProblem(deployment: Deployment): string | undefined {
  try {
    parseConfig(toSettings(deployment));
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) {
      return `settings: ${error.message}`;
    }
    throw error;
  }
}

/** Returns true if both deployments certainly have the same management cluster. */
export function isSameCluster(one: Deployment, other: Deployment): boolean {
  const cluster = serverOf(one.apiServer);
  return one === other || (cluster !== undefined && cluster === serverOf(other.apiServer));
}

function refusePair(one: Deployment, other: Deployment): void {
  if (one.name === other.name) {
    throw new DeploymentError(`Deployment ${one.name}: the name is not unique`);
  }
  const [filter, otherFilter] = [one.settings.watchFilter ?? '', other.settings.watchFilter ?? ''];
  if (isSameCluster(one, other) && (filter === otherFilter || filter === '' || otherFilter === '')) {
    throw new DeploymentError(
      `Deployment ${other.name}: reconciles the same objects as ${one.name}; set a different settings.watchFilter in each`,
    );
  }
  const account = accountOf(one);
  if (account !== undefined && account === accountOf(other)) {
    throw new DeploymentError(
      `Deployment ${other.name}: has the same forwarder as ${one.name}; set a different sources.forwarder.namespace in each`,
    );
  }
}

/** Pod Identity maps a service account to one role. */
function accountOf({ sources: { forwarder } }: Deployment): string | undefined {
  return forwarder?.kind === 'pod-identity' ? `${forwarder.cluster}/${forwarder.namespace}` : undefined;
}

function serverOf(apiServer: ApiServerSettings): string | undefined {
  return apiServer.kind === 'eks' ? apiServer.endpoint : apiServer.secretArn;
}
