// The Secrets that every control plane provider creates for its Cluster: the certificate authority and the kubeconfig.

import {
  type Answer,
  type ObjectRef,
  type Reads,
  toDisplayName,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { ActuatorSeen, ProviderReconciler } from '@capi-serverless/provider-sdk';
import {
  type Action,
  isDeleting,
  type Outcomes,
  type Pass,
  type PolicyRule,
  type Reconciler,
  type Report,
  type Stop,
} from '@capi-serverless/reconciler';
import { clusterSecretType, secretText, toSecretData } from '../../shared/api/secret.ts';
import type { Signer } from '../../shared/certificates/port.ts';
import { ordersOf } from './orders.ts';
import { type SimulatedWorkload, serverOf } from './simulated-workload.ts';

interface Certifying {
  readonly inner: ActuatorSeen;
  readonly secrets: readonly SecretWrite[];
}

interface SecretWrite {
  readonly ref: ObjectRef;
  /** `undefined` if it does not exist yet. */
  readonly existing: Unstructured | undefined;
  readonly data: Readonly<Record<string, string>>;
}

interface Authority {
  /** If `undefined`, no workload clusters are simulated, so no Secrets are created. */
  workload(): SimulatedWorkload | undefined;
  readonly signer: Signer;
}

/** The address of no server. Port 1 is reserved. */
const nowhere = 'https://127.0.0.1:1';

export const secretRights: PolicyRule = {
  apiGroups: [''],
  resources: ['secrets'],
  verbs: ['get', 'create', 'patch'],
  why: 'creates <cluster>-ca and <cluster>-kubeconfig',
};

/** Wraps the reconciler, so that it also maintains both Secrets. Secrets of other owners are not changed. */
export function certifying(inner: ProviderReconciler, authority: Authority): Reconciler<object, Certifying> {
  return {
    declaration: inner.declaration,
    observe: (primary, ask, pass) => observe({ inner, authority }, { primary, ask, pass }),
    decide: (seen, now) => [
      ...seen.secrets.map(write => toAction(write, seen.inner)),
      ...inner.decide(seen.inner, now),
    ],
    report: (seen, outcomes, now) => withFailures(inner.report(seen.inner, outcomes, now), seen.secrets, outcomes),
  };
}

interface Parts {
  readonly inner: ProviderReconciler;
  readonly authority: Authority;
}

interface Asked {
  readonly primary: Unstructured;
  readonly ask: Reads;
  readonly pass: Pass;
}

async function observe({ inner, authority }: Parts, { primary, ask, pass }: Asked): Promise<Certifying | Stop> {
  const seen = await inner.observe(primary, ask, pass);
  if ('stop' in seen) {
    return seen;
  }
  const workload = authority.workload();
  if (workload === undefined || seen.observation.step !== 'normal') {
    return { inner: seen, secrets: [] };
  }
  const cluster = toRef(seen.observation.cluster);
  const refOf = (suffix: string): ObjectRef => ({
    ...cluster,
    apiVersion: 'v1',
    kind: 'Secret',
    name: `${cluster.name}-${suffix}`,
  });
  const [ca, kubeconfig] = await Promise.all([ask.get(refOf('ca')), ask.get(refOf('kubeconfig'))]);
  if ([ca, kubeconfig].some(answer => !answer.ok && answer.missing)) {
    // Garbage collection deletes the Secrets after the control plane is gone.
    const newest = await ask.get(toRef(primary));
    if (newest.ok ? isDeleting(newest.value) : newest.missing) {
      return { inner: seen, secrets: [] };
    }
  }
  const server = ordersOf(primary).unreachable
    ? nowhere
    : serverOf(workload, { namespace: cluster.namespace ?? '', name: cluster.name });
  const wanted = { primary, cluster: cluster.name, workload, server };
  return {
    inner: seen,
    secrets: [
      ...authorityWrite(refOf('ca'), ca, wanted),
      ...(await kubeconfigWrite(refOf('kubeconfig'), kubeconfig, { ...wanted, signer: authority.signer, pass })),
    ],
  };
}

interface Wanted {
  readonly primary: Unstructured;
  readonly cluster: string;
  readonly workload: SimulatedWorkload;
  readonly server: string;
}

function authorityWrite(ref: ObjectRef, found: Answer<Unstructured>, wanted: Wanted): readonly SecretWrite[] {
  const { certificate, privateKey } = wanted.workload.authority;
  const isRight = found.ok && secretText(found.value, 'tls.crt') === certificate;
  return isRight || !mayWrite(found, wanted.primary)
    ? []
    : [{ ref, existing: existingOf(found), data: { 'tls.crt': certificate, 'tls.key': privateKey } }];
}

/** An earlier run listened at another address, with another certificate authority. */
async function kubeconfigWrite(
  ref: ObjectRef,
  found: Answer<Unstructured>,
  wanted: Wanted & { readonly signer: Signer; readonly pass: Pass },
): Promise<readonly SecretWrite[]> {
  const { workload, server, signer } = wanted;
  const text = found.ok ? secretText(found.value, 'value') : '';
  const own = text === '' ? undefined : await signer.inspect(text);
  const isRight = own?.server === server && text.includes(toSecretData(workload.authority.certificate));
  if (isRight || !mayWrite(found, wanted.primary)) {
    return [];
  }
  const request = { clusterName: wanted.cluster, server, authority: workload.authority, now: wanted.pass.now };
  const signed = await signer.kubeconfig(request);
  if (!signed.ok) {
    throw new Error(`Signing the kubeconfig of Cluster ${wanted.cluster} failed: ${signed.error}`);
  }
  return [{ ref, existing: existingOf(found), data: { value: signed.value } }];
}

function existingOf(found: Answer<Unstructured>): Unstructured | undefined {
  return found.ok ? found.value : undefined;
}

/** The Secret is missing, or an earlier run created it for this object. */
function mayWrite(found: Answer<Unstructured>, { metadata }: Unstructured): boolean {
  return found.ok
    ? (found.value.metadata.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid)
    : found.missing;
}

function actionIdOf({ ref }: SecretWrite): string {
  return `secret:${ref.name}`;
}

function toAction(write: SecretWrite, { object }: ActuatorSeen): Action {
  const { ref, existing } = write;
  const data = Object.fromEntries(Object.entries(write.data).map(([key, text]) => [key, toSecretData(text)]));
  const common = { id: actionIdOf(write), onError: 'continue' } as const;
  if (existing !== undefined) {
    return { ...common, do: 'patch', ref, body: { data }, resourceVersion: existing.metadata.resourceVersion };
  }
  const { apiVersion, kind, metadata } = object;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  const labels = { [clusterNameLabel]: ref.name.replace(/-(ca|kubeconfig)$/, '') };
  return {
    ...common,
    do: 'create',
    object: {
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name: ref.name, namespace: metadata.namespace ?? '', labels, ownerReferences: [owner] },
      type: clusterSecretType,
      data,
    },
    ours: () => true,
  };
}

function withFailures(report: Report, secrets: readonly SecretWrite[], outcomes: Outcomes): Report {
  const problems = secrets.flatMap(write => {
    const outcome = outcomes.get(actionIdOf(write));
    return outcome?.state === 'failed'
      ? [`Writing Secret ${toDisplayName(write.ref)} failed: ${outcome.failure.message}`]
      : [];
  });
  return problems.length === 0 || report.result.kind === 'failed'
    ? report
    : { ...report, result: { kind: 'failed', error: new Error(problems.join('; ')), terminal: false } };
}
