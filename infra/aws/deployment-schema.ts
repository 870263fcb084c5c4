// The schema of deployments: one entry per management cluster.
import * as z from 'zod';
import { metricLevels } from '../../shared/config/metric-levels.ts';
import { layouts } from '../../shared/workqueue/queue-specs.ts';
import { forwarderAccount } from '../kubernetes/identities.ts';

function text(pattern: RegExp, expected: string) {
  return z.string().regex(pattern, `must be ${expected}`);
}

/** A text of the CDK whose value is known only on AWS: https://docs.aws.amazon.com/cdk/v2/guide/tokens.html */
export function isToken(value: string): boolean {
  return value.includes('${Token[');
}

/** Also accepts tokens. Nothing in the program reads the value. */
function referableText(pattern: RegExp, expected: string) {
  return z.string().refine(value => isToken(value) || pattern.test(value), `must be ${expected}`);
}

const secretArn = referableText(
  /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
  'the complete ARN of a secret, with its six random characters',
);
/** IAM statements cannot name aliases of keys. */
const kmsKeyArn = referableText(
  /^arn:[\w-]+:kms:[a-z0-9-]+:\d{12}:key\/(mrk-)?[0-9a-f-]{32,36}$/,
  'the ARN of a KMS key, with its id and not an alias',
);
const roleArn = text(/^arn:[\w-]+:iam::\d{12}:oidc-provider\/[\w./-]+$/, 'the ARN of an IAM OIDC provider');
const securityGroup = referableText(/^sg-[0-9a-f]{8,17}$/, 'the id of a security group, sg-…');
const namespace = text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a namespace');
const eksName = referableText(/^[A-Za-z0-9][\w-]{0,99}$/, 'the name of an EKS cluster');

const eks = z.strictObject({
  kind: z.literal('eks'),
  cluster: eksName,
  endpoint: referableText(/^https:\/\/[^\s/?#@]+$/, 'the https address of "aws eks describe-cluster"'),
  /** The certificate as base64 of PEM, as in the output of `aws eks describe-cluster`. */
  certificateAuthority: referableText(
    /^LS0tLS1CRUdJTi[A-Za-z0-9+/=]+$/,
    'the certificate authority data, base64 of PEM',
  ),
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
  /** Whether functions also use IPv6. The subnets must have IPv4 and IPv6. */
  ipv6: z.boolean().default(false),
});

/** The namespace of its pods. Two deployments in one cluster need different ones. */
const forwarderNamespace = namespace.default(forwarderAccount.namespace);

const forwarderIdentity = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pod-identity'), cluster: eksName, namespace: forwarderNamespace }),
  z.strictObject({ kind: z.literal('irsa'), oidcProvider: roleArn, namespace: forwarderNamespace }),
]);

/** function-url: free, but not in all regions. http-api: an HTTP API of API Gateway. */
const webhookDoor = z.enum(['function-url', 'http-api']).default('function-url');

const sources = z.strictObject({
  /** The identity of the watch-forwarder's pods. */
  forwarder: forwarderIdentity.optional(),
  windowed: z.boolean().default(false),
  auditWebhook: z
    .strictObject({
      door: webhookDoor,
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

const reviewWebhook = z.strictObject({
  door: webhookDoor,
  /** The reserved concurrency. A throttled request fails a write, or a request in v1beta1. 0 reserves nothing, as for the audit webhook. */
  concurrency: z.int().min(0).max(1000).default(20),
  /**
   * The days between token rotations. Between two rotations, the URLs in the webhook configurations and CRDs must get
   * the new token. 0 disables automatic rotation.
   */
  rotateTokenDays: z.int().min(0).max(1000).default(0),
  /** The customer-managed key of the token's secret. */
  kmsKeyArn: kmsKeyArn.optional(),
});

const functionSettings = z.strictObject({
  watchFilter: z.string().optional(),
  featureGates: z.string().optional(),
  remoteProbe: z.string().optional(),
  remoteConnectionGracePeriodSeconds: z.int().optional(),
  remoteConditionsGracePeriodSeconds: z.int().optional(),
  nodePeriodSeconds: z.int().optional(),
  additionalSyncMachineLabels: z.array(z.string()).optional(),
  additionalSyncMachineAnnotations: z.array(z.string()).optional(),
  drainFinishedPods: z.string().optional(),
  inlineDataSecret: z.string().optional(),
  machineSetPreflightChecks: z.array(z.string()).min(1).optional(),
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

const snsTopic = referableText(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}(\.fifo)?$/, 'the ARN of an SNS topic');

const monitoring = z.strictObject({
  /**
   * errors: failed invocations of any function only. essential: also dead letters, messages that wait, sources that are
   * silent. all: each queue by itself, and throttles of every function.
   */
  alarms: z.enum(['none', 'errors', 'essential', 'all']).default('essential'),
  /** The receiver of notifications when an alarm changes to ALARM or to OK. */
  topic: snsTopic.optional(),
  /** The location of the runbook in alarm descriptions. */
  runbook: text(/^[^\s#]{1,300}$/, 'a path or an address without a fragment').default('docs/runbook.md'),
  /** true: the most urgent widgets, as many as a free dashboard may have. full: all widgets. */
  dashboard: z.union([z.boolean(), z.literal('full')]).default(true),
  /** The metrics of this project that become CloudWatch metrics. */
  metrics: z.enum(metricLevels).default('few'),
  /** Whether an update is taken back if functions fail in its first minutes. Requires alarms. */
  rollback: z.boolean().default(true),
  /** Whether each reconcile is sent as an X-Ray span. */
  tracing: z.boolean().default(false),
});

/** https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html */
const tagKey = text(/^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u, 'the key of a tag, without the prefix aws:');
const tagValue = text(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u, 'the value of a tag');

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
  /** The function of the admission webhooks. Undefined: there is none. */
  admission: reviewWebhook.optional(),
  /** The function of the conversion webhook. Undefined: there is none. */
  conversion: reviewWebhook.optional(),
  /** The maximum concurrency of each event source mapping. Reserved concurrency would throttle and waste receives. */
  concurrency: z.int().min(2).max(1000).default(20),
  /**
   * uncapped: the timer and resync functions have no maximum concurrency. Lambda then polls their queues with fewer
   * pollers. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  plumbing: z.enum(['capped', 'uncapped']).default('capped'),
  /** compact: one work queue and one function for all reconcilers, with the rights of all of them. */
  layout: z.enum(layouts).default('per-kind'),
  /** The limits follow from the rates of EventBridge Scheduler. */
  resyncPeriodMinutes: z.int().min(1).max(1440).default(10),
  /** At least the resync period. At most 30 days. */
  fullResyncPeriodMinutes: z.int().min(1).max(43_200).default(1440),
  /** The namespaces in which functions may use Secrets: those of all Clusters. Default: all namespaces. */
  secretNamespaces: z.array(namespace).min(1).optional(),
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  /** The customer-managed key of queues, log groups, environments of functions, and secrets that the stack creates. */
  kmsKeyArn: kmsKeyArn.optional(),
  /** The processors of the functions. */
  architecture: z.enum(['arm64', 'x86_64']).default('arm64'),
  /** retain: a deleted stack leaves its queues and log groups. */
  removal: z.enum(['destroy', 'retain']).default('destroy'),
  /** Whether CloudFormation refuses to delete the stack. */
  terminationProtection: z.boolean().default(false),
  settings: functionSettings.default({}),
  monitoring: monitoring.prefault({}),
  /** The tags of all resources. */
  tags: z.record(tagKey, tagValue).optional(),
});

export type Deployment = z.infer<typeof deploymentSchema>;
export type ApiServerSettings = Deployment['apiServer'];
