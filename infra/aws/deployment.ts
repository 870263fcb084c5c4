// Reads and checks deployments before synthesis.
import { readFileSync } from 'node:fs';
import { toSchemaProblem, withoutUndefined } from '@capi-serverless/apimachinery';
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { parse } from 'yaml';
import * as z from 'zod';
import { ConfigError, parseConfig } from '../../shared/config/env.ts';
import { findConflict } from './deployment-conflicts.ts';
import { type Deployment, deploymentSchema, isToken } from './deployment-schema.ts';
import { findSharedName } from './physical-names.ts';
import { findPlaceProblem, webhooksOf } from './place-problems.ts';

/** An invalid deployment. The message is one line with the deployment and the field. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

type SettingField = Exclude<keyof Deployment['settings'], 'extensionClientCertificateKmsKeyArn'>;

const settingNames: Readonly<Record<SettingField, string>> = {
  watchFilter: 'CAPI_WATCH_FILTER',
  featureGates: 'CAPI_FEATURE_GATES',
  remoteProbe: 'CAPI_REMOTE_PROBE',
  remoteConnectionGracePeriodSeconds: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS',
  remoteConditionsGracePeriodSeconds: 'CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS',
  nodePeriodSeconds: 'CAPI_NODE_PERIOD_SECONDS',
  additionalSyncMachineLabels: 'CAPI_ADDITIONAL_SYNC_MACHINE_LABELS',
  additionalSyncMachineAnnotations: 'CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS',
  drainFinishedPods: 'CAPI_DRAIN_FINISHED_PODS',
  inlineDataSecret: 'CAPI_INLINE_DATA_SECRET',
  machineSetPreflightChecks: 'CAPI_MACHINESET_PREFLIGHT_CHECKS',
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
    ...withoutUndefined({ CAPI_MANAGEMENT_CLUSTER: deployment.managementCluster }),
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

/** The API groups whose kinds Clusters and Machines may name. */
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
  const given = typeof context === 'string' ? readList(context) : context;
  if (isToken(JSON.stringify(given) ?? '')) {
    throw new DeploymentError('Deployments contain a token of a CDK program; write the value instead');
  }
  return parseDeployments(given);
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
      const conflict = findConflict(one, other);
      if (conflict !== undefined) {
        throw new DeploymentError(conflict);
      }
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
    return refuse(formerField(value) ?? toSchemaProblem(parsed.error));
  }
  const problem =
    findPlaceProblem(parsed.data) ??
    findContradiction(parsed.data) ??
    findKeyProblem(parsed.data) ??
    findSettingProblem(parsed.data);
  return problem === undefined ? parsed.data : refuse(problem);
}

/** The remedy for a field of version 0.2.0 that has another name now. */
function formerField(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'workQueues' in value
    ? 'workQueues is now layout: write layout: compact for shared, and layout: per-kind for separate'
    : undefined;
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
    return 'settings.extensionServices: dns requires a VPC whose DNS resolves the Services; set vpc as well';
  }
  if (apiServer.kind === 'eks' && apiServer.securityGroup !== undefined && network === undefined) {
    return 'apiServer.securityGroup: requires a VPC; set vpc as well';
  }
  if (apiServer.kind === 'eks' && from.auditLogOf !== undefined && differ(apiServer.cluster, from.auditLogOf)) {
    return `sources.auditLogOf: differs from apiServer.cluster, ${apiServer.cluster}`;
  }
  if (apiServer.kind === 'kubeconfig' && from.auditWebhook !== undefined && managementCluster === undefined) {
    return (
      'sources.auditWebhook: the public function would get the kubeconfig of all functions only to read one uid; ' +
      'set managementCluster: kubectl get namespace kube-system -o jsonpath={.metadata.uid}'
    );
  }
  return undefined;
}

/** Tokens may have equal values. */
function differ(one: string, other: string): boolean {
  return one !== other && !isToken(one) && !isToken(other);
}

/** A key is in the region of what it encrypts. */
function findKeyProblem(deployment: Deployment): string | undefined {
  const { apiServer, settings, region, kmsKeyArn } = deployment;
  const { extensionClientCertificateSecret: certificate, extensionClientCertificateKmsKeyArn: itsKey } = settings;
  if (itsKey !== undefined && certificate === undefined) {
    return 'settings.extensionClientCertificateKmsKeyArn: set extensionClientCertificateSecret as well';
  }
  const own =
    region === undefined
      ? []
      : webhooksOf(deployment).map(({ field, kmsKeyArn }) => ({ field, key: kmsKeyArn, region }));
  const named = [
    { field: 'kmsKeyArn', key: kmsKeyArn, region, of: 'the stack' },
    ...own,
    ...(apiServer.kind === 'kubeconfig'
      ? [{ field: 'apiServer', key: apiServer.kmsKeyArn, region: apiServer.secretArn?.split(':')[3] ?? region }]
      : []),
    { field: 'settings', key: itsKey, region: certificate?.split(':')[3] },
  ];
  const wrong = named.find(
    ({ key, region: wanted }) =>
      key !== undefined && !isToken(key) && wanted !== undefined && key.split(':')[3] !== wanted,
  );
  const of = wrong !== undefined && 'of' in wrong ? wrong.of : 'its secret';
  return wrong && `${wrong.field}: the KMS key is not in ${wrong.region}, the region of ${of}`;
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
      const { message } = error;
      const [field] = Object.entries(settingNames).find(([, variable]) => message.includes(`${variable}:`)) ?? [];
      return `${field === undefined ? 'settings' : `settings.${field}`}: ${message}`;
    }
    throw error;
  }
}
