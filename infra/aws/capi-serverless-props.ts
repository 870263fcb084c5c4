// The properties of the construct CapiServerless. Simple values have the names, limits and defaults of docs/deployment.md.
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { DeployedParts } from './deployed-parts.ts';

/** A secret of the CDK: new, or imported by its complete ARN. */
export interface SecretReference {
  readonly secretFullArn?: string | undefined;
  readonly encryptionKey?: IKey | undefined;
}

/** An EKS cluster. Each function authenticates with its own role. */
export interface EksApiServer {
  readonly kind: 'eks';
  /** The name of the cluster. */
  readonly cluster: string;
  /** Its https address. */
  readonly endpoint: string;
  /** Its certificate authority: base64 of PEM. */
  readonly certificateAuthority: string;
  /** Creates an access entry for each function. false: map `roles` to their groups yourself. Default: true. */
  readonly accessEntries?: boolean | undefined;
  /** The security group of the cluster. It gets a rule for the functions. Requires `vpc`. */
  readonly securityGroup?: ISecurityGroup | undefined;
}

/** Any API server. All functions use one kubeconfig in Secrets Manager. */
export interface KubeconfigApiServer {
  readonly kind: 'kubeconfig';
  /** An existing secret with a self-contained kubeconfig. Default: an empty secret, which you fill after the deployment. */
  readonly secret?: SecretReference | undefined;
  /** The key of the secret. Default: the key that `secret` knows, otherwise `encryptionKey`. */
  readonly secretKey?: IKey | undefined;
}

export interface ForwarderPodIdentity {
  readonly kind: 'pod-identity';
  /** The EKS cluster of the pods. */
  readonly cluster: string;
  /** The namespace of the pods. Default: capi-serverless. */
  readonly namespace?: string | undefined;
}

export interface ForwarderIrsa {
  readonly kind: 'irsa';
  /** The ARN of the IAM OIDC provider. Not a token, because the trust policy contains parts of it. */
  readonly oidcProvider: string;
  /** The namespace of the pods. Default: capi-serverless. */
  readonly namespace?: string | undefined;
}

export interface AuditWebhookProps {
  /** Default: function-url. Some regions need http-api. */
  readonly door?: 'function-url' | 'http-api' | undefined;
  /** The reserved concurrency, 0 to 100. 0: none. Default: 5. */
  readonly concurrency?: number | undefined;
  /** The days between rotations of the token, 0 to 1000. 0: no rotation. Default: 90. */
  readonly rotateTokenDays?: number | undefined;
  /** The key of the token's secret. Default: `encryptionKey`. */
  readonly secretKey?: IKey | undefined;
}

export interface AdmissionProps {
  /** Default: function-url. Some regions need http-api. */
  readonly door?: 'function-url' | 'http-api' | undefined;
  /** The reserved concurrency, 0 to 1000. 0: none. Default: 20. */
  readonly concurrency?: number | undefined;
  /** The days between rotations of the token, 0 to 1000. 0: no rotation. Default: 0. */
  readonly rotateTokenDays?: number | undefined;
  /** The key of the token's secret. Default: `encryptionKey`. */
  readonly secretKey?: IKey | undefined;
}

/** The event sources. Without any, only the resync finds changes. */
export interface EventSourceProps {
  /** The role of the watch-forwarder's pods. */
  readonly forwarder?: ForwarderPodIdentity | ForwarderIrsa | undefined;
  /** A function that forwards changes every minute. Default: false. */
  readonly windowed?: boolean | undefined;
  /** An address to which an API server sends its audit events. */
  readonly auditWebhook?: AuditWebhookProps | undefined;
  /** The name of the EKS cluster whose audit log is an event source. */
  readonly auditLogOf?: string | undefined;
}

/** Settings of the functions: docs/settings.md. */
export interface FunctionSettings {
  readonly watchFilter?: string | undefined;
  readonly featureGates?: string | undefined;
  readonly remoteProbe?: string | undefined;
  readonly remoteConnectionGracePeriodSeconds?: number | undefined;
  readonly remoteConditionsGracePeriodSeconds?: number | undefined;
  readonly nodePeriodSeconds?: number | undefined;
  readonly additionalSyncMachineLabels?: readonly string[] | undefined;
  readonly additionalSyncMachineAnnotations?: readonly string[] | undefined;
  readonly drainFinishedPods?: string | undefined;
  readonly inlineDataSecret?: string | undefined;
  readonly machineSetPreflightChecks?: readonly string[] | undefined;
  readonly remoteAddresses?: string | undefined;
  readonly classNamespaces?: string | undefined;
  readonly stateNamespace?: string | undefined;
  readonly providerGroups?: readonly string[] | undefined;
  readonly extensionServices?: string | undefined;
  /** The client certificate with which functions authenticate to extension servers. */
  readonly extensionClientCertificateSecret?: SecretReference | undefined;
  /** The key of that secret. Default: the key that the secret knows. */
  readonly extensionClientCertificateKey?: IKey | undefined;
  readonly logLevel?: string | undefined;
}

export interface MonitoringProps {
  /** errors: only failed invocations of functions. Default: essential. */
  readonly alarms?: 'none' | 'errors' | 'essential' | 'all' | undefined;
  /** The receiver of notifications when an alarm changes to ALARM or to OK. */
  readonly topic?: ITopic | undefined;
  /** The address of your copy of the runbook. Default: docs/runbook.md. */
  readonly runbook?: string | undefined;
  /** true: the most urgent widgets, as many as a free dashboard may have. full: all widgets. Default: true. */
  readonly dashboard?: boolean | 'full' | undefined;
  /** The metrics of this project that become CloudWatch metrics. Default: few. */
  readonly metrics?: 'off' | 'few' | 'all' | undefined;
  /** Takes an update back if functions fail in its first 10 minutes. Requires alarms. Default: true. */
  readonly rollback?: boolean | undefined;
  /** Sends each reconcile as an X-Ray span. Default: false. */
  readonly tracing?: boolean | undefined;
}

export interface CapiServerlessProps {
  /**
   * The prefix of the names of queues, functions, log groups, alarms and schedules: 3 to 30 lower-case letters, digits
   * and hyphens. Unique in an account and region.
   */
  readonly name: string;
  /** The API server of the management cluster. Default: a kubeconfig in a new secret. */
  readonly apiServer?: EksApiServer | KubeconfigApiServer | undefined;
  /** The uid of the namespace kube-system. Required for an audit webhook with a kubeconfig. Default: read at runtime. */
  readonly managementCluster?: string | undefined;
  /** The network of the functions that reach the API server. Default: no VPC. */
  readonly vpc?: Pick<IVpc, 'vpcId' | 'selectSubnets'> | undefined;
  /** Default: the private subnets with a way to the internet. Other subnets need interface endpoints. */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** Whether these functions also use IPv6. Their subnets must have IPv4 and IPv6. Default: false. */
  readonly ipv6?: boolean | undefined;
  /** The security groups of these functions. Default: a new one that allows outgoing TCP and DNS. */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /**
   * The key of queues, log groups, environments of functions, and secrets that the construct creates. Functions may use
   * it for requests of SQS and Secrets Manager only. Default: keys that AWS manages.
   */
  readonly encryptionKey?: IKey | undefined;
  readonly sources?: EventSourceProps | undefined;
  /** The function of the admission webhooks: it defaults and validates Cluster API objects. Default: none. */
  readonly admission?: AdmissionProps | undefined;
  /** The function of the conversion webhook: it converts Cluster API objects between versions. Default: none. */
  readonly conversion?: AdmissionProps | undefined;
  /** The invocations of one function at a time, 2 to 1000. Default: 20. */
  readonly concurrency?: number | undefined;
  /** uncapped: timer and resync have no maximum concurrency, and their queues are polled less. Default: capped. */
  readonly plumbing?: 'capped' | 'uncapped' | undefined;
  /** compact: one work queue and one function for all reconcilers, with the rights of all of them. Default: per-kind. */
  readonly layout?: 'per-kind' | 'compact' | undefined;
  /** The period in which the resync finds lost events, 1 to 1440. Default: 10. */
  readonly resyncPeriodMinutes?: number | undefined;
  /** The period in which each object is reconciled without a change, 1 to 43200. Default: 1440. */
  readonly fullResyncPeriodMinutes?: number | undefined;
  /** The namespaces of Secrets that functions may use. Default: all. */
  readonly secretNamespaces?: readonly string[] | undefined;
  /** Default: 30. */
  readonly logRetentionDays?: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365 | undefined;
  /** The processors of the functions. Default: arm64. */
  readonly architecture?: 'arm64' | 'x86_64' | undefined;
  /** retain: queues and log groups remain when they are deleted from the stack. Default: destroy. */
  readonly removal?: 'destroy' | 'retain' | undefined;
  readonly settings?: FunctionSettings | undefined;
  readonly monitoring?: MonitoringProps | undefined;
  /** Tags of all resources, in addition to those of the stack. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** @internal The reconcilers and bundles. Default: those of the package. */
  readonly parts?: DeployedParts | undefined;
}
