// Reads the workload cluster: the kubeconfig Secret, one probe with this kubeconfig, and a newly signed kubeconfig if
// required.
import {
  type Answer,
  groupOf,
  type Instant,
  type ObjectRef,
  type Reads,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { isValidEndpoint, toEndpointText } from '@capi-serverless/cluster-api/contract';
import { isDeleting, noOutcomes, type Pass } from '@capi-serverless/reconciler';
import { type Cluster, clusterGroup, isDefined } from '../../shared/api/cluster/reader.ts';
import {
  clusterSecretType,
  isTooLargeForKubeconfig,
  kubeconfigName,
  maxKubeconfigBytes,
  secretText,
} from '../../shared/api/secret.ts';
import type { Signer } from '../../shared/certificates/port.ts';
import type { Probe, WorkloadClusters } from '../../shared/workload/port.ts';
import { endpointAfter } from './phases/endpoint.ts';
import type { PlannedExternals } from './phases/externals.ts';
import type { ClusterSettings, KubeconfigState, RemoteState } from './seen.ts';

export interface RemotePorts {
  readonly signer: Signer;
  readonly workload: WorkloadClusters;
}

interface RemoteSecrets {
  /** `undefined` if the Secret is not needed in this pass. */
  readonly secret: Answer<Unstructured> | undefined;
  /** The Secret of the certificate authority, if a kubeconfig is required regardless of the infrastructure object. */
  readonly authority?: Answer<Unstructured>;
}

/** Half of the certificate lifetime of one year, as in control plane providers. */
const renewalMs = 4380 * 3_600_000;

interface Observing {
  readonly pass: Pass;
  readonly settings: ClusterSettings;
}

/**
 * Reads the kubeconfig Secret if this pass creates or uses a kubeconfig. If one is required but missing, reads the
 * authority.
 */
export async function readRemoteSecrets(cluster: Cluster, ask: Reads, observing: Observing): Promise<RemoteSecrets> {
  if (!isOwnTask(cluster) && !isProbed(cluster, observing)) {
    return { secret: undefined };
  }
  const secret = await ask.get(secretRef(cluster, kubeconfigName(cluster)));
  const isRequired = isOwnTask(cluster) && isValidEndpoint(cluster.spec.controlPlaneEndpoint);
  return !secret.ok && secret.missing && isRequired
    ? { secret, authority: await ask.get(authorityRef(cluster)) }
    : { secret };
}

/** Probes with the kubeconfig in the first pass of an invocation. */
export async function observeRemote(
  { cluster, secret }: { readonly cluster: Cluster } & Pick<RemoteSecrets, 'secret'>,
  ask: RemotePorts,
  observing: Observing,
): Promise<RemoteState> {
  const { pass, settings } = observing;
  if (secret === undefined || !isProbed(cluster, observing) || (!secret.ok && secret.missing)) {
    return unprobed(cluster, settings);
  }
  if (secret.ok && isTooLargeForKubeconfig(secretText(secret.value, 'value'))) {
    return { state: 'refused', problem: tooLarge(cluster) };
  }
  const probe: Probe = secret.ok
    ? await probeWith(cluster, secret.value, { ask, pass })
    : { ok: false, error: `reading the kubeconfig: ${secret.failure.message}` };
  if (probe.ok) {
    return { state: 'succeeded' };
  }
  if (pass.signal.aborted || probe.postponed) {
    // An interrupted probe says nothing about the workload cluster.
    return { state: 'skipped', isAwaited: true, isPostponed: true };
  }
  pass.log?.info('Probing the workload cluster failed', { problem: probe.error });
  return { state: 'failed', lastSuccessAt: probe.lastSuccessAt };
}

/** A tenant may write the Secret, so a large kubeconfig is not parsed. */
function tooLarge(cluster: Cluster): string {
  return `Secret ${cluster.metadata.namespace}/${kubeconfigName(cluster)} has more than ${maxKubeconfigBytes / 1024} KiB`;
}

function unprobed(cluster: Cluster, { probesRemote }: ClusterSettings): RemoteState {
  return probesRemote ? { state: 'skipped', isAwaited: mayAnswer(cluster) } : { state: 'off' };
}

/** Without a control plane provider, this reconciler creates the kubeconfig. */
function isOwnTask(cluster: Cluster): boolean {
  return !isDeleting(cluster) && !isDefined(cluster.spec.controlPlaneRef);
}

/** The probe runs once per invocation, because a later pass would get the same result. */
function isProbed(cluster: Cluster, { pass, settings }: Observing): boolean {
  return settings.probesRemote && pass.number === 1 && mayAnswer(cluster);
}

interface Signable {
  readonly cluster: Cluster;
  readonly externals: Pick<PlannedExternals, 'endpoint'>;
  readonly secrets: RemoteSecrets;
}

/**
 * Determines whether to create or renew the kubeconfig Secret. Uses the endpoint that the Cluster has after this pass.
 */
export async function observeKubeconfig(
  { cluster, externals, secrets }: Signable,
  ask: Reads & RemotePorts,
  now: Instant,
): Promise<KubeconfigState> {
  const { secret } = secrets;
  if (secret === undefined || isDefined(cluster.spec.controlPlaneRef)) {
    return { state: 'settled' };
  }
  const endpoint = endpointAfter(externals.endpoint, noOutcomes);
  if (!isValidEndpoint(endpoint)) {
    return { state: 'settled' };
  }
  if (secret.ok) {
    return renew(cluster, secret.value, { ask, now });
  }
  if (!secret.missing) {
    const what = `Kubeconfig Secret for Cluster ${quoted(cluster)}`;
    return { state: 'failed', error: `failed to retrieve ${what}: ${secret.failure.message}` };
  }
  const authority = secrets.authority ?? (await ask.get(authorityRef(cluster)));
  const server = `https://${toEndpointText(endpoint)}`;
  const signed = await sign({ cluster, server, authority }, { ask, now });
  return signed.state === 'signed' ? { state: 'missing', text: signed.text } : signed;
}

interface Asking {
  readonly ask: Reads & RemotePorts;
  readonly now: Instant;
}

/** Renews only kubeconfigs that this reconciler or upstream created. The kubeconfig of a user is not changed. */
async function renew(cluster: Cluster, secret: Unstructured, { ask, now }: Asking): Promise<KubeconfigState> {
  const own = isGenerated(cluster, secret) ? await ask.signer.inspect(secretText(secret, 'value')) : undefined;
  if (own?.clusterName !== cluster.metadata.name || own.expiresAt - now >= renewalMs) {
    return { state: 'settled' };
  }
  const authority = await ask.get(authorityRef(cluster));
  const signed = await sign({ cluster, server: own.server, authority }, { ask, now });
  switch (signed.state) {
    case 'signed':
      return { state: 'expiring', secret, text: signed.text };
    case 'withoutAuthority':
      // The kubeconfig is still valid. If the authority was removed on purpose, it cannot be renewed.
      return { state: 'settled' };
    case 'failed':
      return signed;
  }
}

type Signed =
  | { readonly state: 'signed'; readonly text: string }
  | Extract<KubeconfigState, { state: 'failed' | 'withoutAuthority' }>;

interface Signing {
  readonly cluster: Cluster;
  readonly server: string;
  readonly authority: Answer<Unstructured>;
}

async function sign({ cluster, server, authority }: Signing, { ask, now }: Asking): Promise<Signed> {
  if (!authority.ok) {
    return authority.missing
      ? { state: 'withoutAuthority' }
      : {
          state: 'failed',
          error: `failed to retrieve CA Secret for Cluster ${quoted(cluster)}: ${authority.failure.message}`,
        };
  }
  const kubeconfig = await ask.signer.kubeconfig({
    clusterName: cluster.metadata.name,
    server,
    authority: {
      certificate: secretText(authority.value, 'tls.crt'),
      privateKey: secretText(authority.value, 'tls.key'),
    },
    now,
  });
  return kubeconfig.ok ? { state: 'signed', text: kubeconfig.value } : { state: 'failed', error: kubeconfig.error };
}

function probeWith(
  cluster: Cluster,
  secret: Unstructured,
  { ask, pass }: { readonly ask: RemotePorts; readonly pass: Pass },
): Promise<Probe> {
  const { uid, namespace } = cluster.metadata;
  return ask.workload.probe(
    {
      cluster: uid,
      origin: `in Secret ${namespace}/${kubeconfigName(cluster)}`,
      kubeconfig: secretText(secret, 'value'),
      version: secret.metadata.resourceVersion,
    },
    pass.signal,
    pass.deadline,
  );
}

/** Returns true if the workload cluster may have an API server and the Cluster is not being deleted. */
function mayAnswer(cluster: Cluster): boolean {
  const { spec, status } = cluster;
  return (
    !isDeleting(cluster) &&
    status.initialization.infrastructureProvisioned &&
    isValidEndpoint(spec.controlPlaneEndpoint)
  );
}

/** Returns true if the Secret has the type and the owner of a generated kubeconfig Secret. */
function isGenerated({ metadata }: Cluster, secret: Unstructured): boolean {
  const isOurs = (secret.metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind, uid }) => groupOf(apiVersion) === clusterGroup && kind === 'Cluster' && uid === metadata.uid,
  );
  return secret['type'] === clusterSecretType && isOurs;
}

function authorityRef(cluster: Cluster): ObjectRef {
  return secretRef(cluster, `${cluster.metadata.name}-ca`);
}

function secretRef({ metadata }: Cluster, name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace: metadata.namespace, name };
}

function quoted({ metadata }: Cluster): string {
  return `"${metadata.name}" in namespace "${metadata.namespace}"`;
}
