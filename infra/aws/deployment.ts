// What an operator says about a deployment: one entry per management cluster, checked before anything is synthesised.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { toSchemaProblem } from '../../shared/api/schema-problem.ts';
import { ConfigError, parseConfig } from '../../shared/config/env.ts';
import type { FeatureGates } from '../../shared/config/feature-gates.ts';
import { metricLevels } from '../../shared/telemetry/published-metrics.ts';
import { queueDesigns } from '../../shared/workqueue/queue-design.ts';
import { forwarderAccount } from '../kubernetes/identities.ts';

/** Deployments that cannot be synthesised: one line that names the deployment and the field. */
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
const roleArn = text(/^arn:[\w-]+:iam::\d{12}:oidc-provider\/[\w./-]+$/, 'the ARN of an IAM OIDC provider');
const securityGroup = text(/^sg-[0-9a-f]{8,17}$/, 'the id of a security group, sg-…');
const eksName = text(/^[A-Za-z0-9][\w-]{0,99}$/, 'the name of an EKS cluster');

const eks = z.strictObject({
  kind: z.literal('eks'),
  cluster: eksName,
  endpoint: text(/^https:\/\/[^\s/?#@]+$/, 'the https address that "aws eks describe-cluster" tells'),
  /** Base64 of PEM, as `aws eks describe-cluster` tells it. */
  certificateAuthority: text(/^LS0tLS1CRUdJTi[A-Za-z0-9+/=]+$/, 'the certificate authority data, base64 of PEM'),
  /** false: whoever manages the cluster maps each function's role to its group. */
  accessEntries: z.boolean().default(true),
  /** The cluster's, which is opened for the functions; only with a VPC. */
  securityGroup: securityGroup.optional(),
});

/** Any API server, by a kubeconfig that holds all it needs. Without an ARN the stack makes an empty secret to be filled. */
const kubeconfig = z.strictObject({ kind: z.literal('kubeconfig'), secretArn: secretArn.optional() });

const vpc = z.strictObject({
  id: text(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC, vpc-…'),
  subnets: z.array(text(/^subnet-[0-9a-f]{8,17}$/, 'the id of a subnet, subnet-…')).min(1),
});

/** Of its pods; with two deployments in one cluster, each needs its own. */
const namespace = text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a namespace').default(forwarderAccount.namespace);

const forwarderIdentity = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pod-identity'), cluster: eksName, namespace }),
  z.strictObject({ kind: z.literal('irsa'), oidcProvider: roleArn, namespace }),
]);

const sources = z.strictObject({
  /** The role of the watch-forwarder's pods. */
  forwarder: forwarderIdentity.optional(),
  windowed: z.boolean().default(false),
  auditWebhook: z
    .strictObject({
      /** As many requests are served at a time; the API server tries again. */
      concurrency: z.int().min(1).max(100).default(5),
      /** How often a new token is made, beside which the one before stays valid; 0: never by itself. */
      rotateTokenDays: z.int().min(0).max(1000).default(90),
    })
    .optional(),
  /** The EKS cluster whose control plane logs are subscribed to. */
  auditLogOf: eksName.optional(),
});

const functionSettings = z.strictObject({
  watchFilter: z.string().optional(),
  featureGates: z.string().optional(),
  remoteProbe: z.string().optional(),
  remoteConnectionGracePeriodSeconds: z.int().optional(),
  remoteAddresses: z.string().optional(),
  stateNamespace: z.string().optional(),
  providerGroups: z.array(z.string()).min(1).optional(),
  extensionServices: z.string().optional(),
  extensionClientCertificateSecret: secretArn.optional(),
  logLevel: z.string().optional(),
});

const snsTopic = text(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}(\.fifo)?$/, 'the ARN of an SNS topic');

const monitoring = z.strictObject({
  /** essential: what a queue's own alarms show is not watched at its function as well; all: at every function. */
  alarms: z.enum(['none', 'essential', 'all']).default('essential'),
  /** Is told when an alarm goes off, and when it is over. */
  topic: snsTopic.optional(),
  /** Where the alarms say that the runbook is. */
  runbook: text(/^[^\s#]{1,300}$/, 'a path or an address without a fragment').default('docs/runbook.md'),
  dashboard: z.boolean().default(true),
  /** Which of our metrics CloudWatch makes metrics of. */
  metrics: z.enum(metricLevels).default('few'),
  /** A span of X-Ray for each reconcile. */
  tracing: z.boolean().default(false),
});

export const deploymentSchema = z.strictObject({
  /** Of the stack, and what the names of its queues, functions and log groups begin with. */
  name: text(/^[a-z][a-z0-9-]{1,28}[a-z0-9]$/, '3 to 30 lower-case letters, digits and hyphens'),
  account: text(/^\d{12}$/, 'twelve digits').optional(),
  region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1').optional(),
  /** uid of its kube-system namespace; read from the API server when not given. */
  managementCluster: z.uuid('must be a uid').optional(),
  apiServer: z.discriminatedUnion('kind', [eks, kubeconfig]).default({ kind: 'kubeconfig' }),
  vpc: vpc.optional(),
  sources: sources.default({ windowed: false }),
  /** Invocations of one function at a time. Throttling by reserved concurrency would cost receives instead. */
  concurrency: z.int().min(2).max(1000).default(20),
  /**
   * uncapped: no such limit for the timer and resync functions, so that Lambda polls their queues with fewer pollers.
   * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  plumbing: z.enum(['capped', 'uncapped']).default('capped'),
  /** What EventBridge can keep. */
  resyncPeriodMinutes: z.int().min(1).max(1440).default(10),
  queueDesign: z.enum(queueDesigns).default('default'),
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  settings: functionSettings.default({}),
  monitoring: monitoring.prefault({}),
});

export type Deployment = z.infer<typeof deploymentSchema>;
export type ApiServer = Deployment['apiServer'];

const settingNames: Readonly<Record<keyof Deployment['settings'], string>> = {
  watchFilter: 'CAPI_WATCH_FILTER',
  featureGates: 'CAPI_FEATURE_GATES',
  remoteProbe: 'CAPI_REMOTE_PROBE',
  remoteConnectionGracePeriodSeconds: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
  remoteAddresses: 'CAPI_REMOTE_ADDRESSES',
  stateNamespace: 'CAPI_STATE_NAMESPACE',
  providerGroups: 'CAPI_PROVIDER_GROUPS',
  extensionServices: 'CAPI_EXTENSION_SERVICES',
  extensionClientCertificateSecret: 'CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
  logLevel: 'CAPI_LOG_LEVEL',
};

/** What every function of the deployment finds in its environment, whatever it does. */
export function toSettings(deployment: Deployment): Readonly<Record<string, string>> {
  const given = Object.entries(settingNames).flatMap(([field, variable]) => {
    const value = deployment.settings[field as keyof typeof settingNames]; // a key of that very object
    return value === undefined ? [] : [[variable, String(value)] as const];
  });
  return {
    ...Object.fromEntries(given),
    ...(deployment.managementCluster === undefined ? {} : { CAPI_MANAGEMENT_CLUSTER: deployment.managementCluster }),
    CAPI_RESYNC_PERIOD_SECONDS: String(deployment.resyncPeriodMinutes * 60),
    CAPI_QUEUE_DESIGN: deployment.queueDesign,
    CAPI_METRICS: deployment.monitoring.metrics,
    CAPI_DEPLOYMENT: deployment.name,
    CAPI_TRACING: deployment.monitoring.tracing ? 'xray' : 'off',
  };
}

/** Which parts of Cluster API the deployment runs. */
export function toFeatureGates(deployment: Deployment): FeatureGates {
  return parseConfig(toSettings(deployment)).featureGates;
}

/**
 * Reads the context `deployments`: a list, or the path of a YAML or JSON file that holds one. Without it, one deployment
 * with every default. Throws DeploymentError.
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

/** Throws DeploymentError with one line about the first deployment that is wrong, or about two that cannot live together. */
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
  const problem = findContradiction(parsed.data) ?? findSettingProblem(parsed.data);
  return problem === undefined ? parsed.data : refuse(problem);
}

function nameOf(value: unknown): string | undefined {
  return z.object({ name: z.string().max(30) }).safeParse(value).data?.name;
}

function findContradiction({
  apiServer,
  vpc: network,
  sources: from,
  managementCluster,
  settings,
}: Deployment): string | undefined {
  if (settings.extensionServices === 'dns' && network === undefined) {
    return 'settings.extensionServices: dns is for functions inside a VPC whose name server knows the Services; set vpc too';
  }
  if (apiServer.kind === 'eks' && apiServer.securityGroup !== undefined && network === undefined) {
    return 'apiServer.securityGroup: is for functions inside a VPC; set vpc too';
  }
  if (from.auditLogOf !== undefined && apiServer.kind === 'eks' && apiServer.cluster !== from.auditLogOf) {
    return `sources.auditLogOf: is another cluster than apiServer.cluster, ${apiServer.cluster}`;
  }
  if (apiServer.kind === 'kubeconfig' && from.auditWebhook !== undefined && managementCluster === undefined) {
    return (
      'sources.auditWebhook: the one function that anybody may call would be given the kubeconfig of all others, to read one uid; ' +
      'set managementCluster: kubectl get namespace kube-system -o jsonpath={.metadata.uid}'
    );
  }
  return undefined;
}

/** The functions would refuse it at their start. */
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

function refusePair(one: Deployment, other: Deployment): void {
  if (one.name === other.name) {
    throw new DeploymentError(`Deployment ${one.name}: another one has the same name`);
  }
  const cluster = serverOf(one.apiServer);
  const [filter, otherFilter] = [one.settings.watchFilter ?? '', other.settings.watchFilter ?? ''];
  const isShared = cluster !== undefined && cluster === serverOf(other.apiServer);
  if (isShared && (filter === otherFilter || filter === '' || otherFilter === '')) {
    throw new DeploymentError(
      `Deployment ${other.name}: reconciles the objects of ${one.name} too; give each a settings.watchFilter of its own`,
    );
  }
  const account = accountOf(one);
  if (account !== undefined && account === accountOf(other)) {
    throw new DeploymentError(
      `Deployment ${other.name}: its forwarder is that of ${one.name} too; give each a sources.forwarder.namespace of its own`,
    );
  }
}

/** A service account has one role by Pod Identity. */
function accountOf({ sources: { forwarder } }: Deployment): string | undefined {
  return forwarder?.kind === 'pod-identity' ? `${forwarder.cluster}/${forwarder.namespace}` : undefined;
}

function serverOf(apiServer: ApiServer): string | undefined {
  return apiServer.kind === 'eks' ? apiServer.endpoint : apiServer.secretArn;
}
