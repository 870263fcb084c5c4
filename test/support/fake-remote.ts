// A signer and a workload cluster with fixed answers.

import { type Checked, type Instant, invalid, valid } from '@capi-serverless/apimachinery';
import type { KubeconfigRequest, OwnKubeconfig, Signer } from '../../shared/certificates/port.ts';
import type { Probe, ProbeTarget, WorkloadClusters } from '../../shared/workload/port.ts';

const yearMs = 365 * 86_400_000;

export interface FakeSigner extends Signer {
  readonly requests: readonly KubeconfigRequest[];
}

/** Signs with any authority whose texts begin with `PEM`. A signed kubeconfig is one line that `inspect` parses. */
export function fakeSigner(): FakeSigner {
  const requests: KubeconfigRequest[] = [];
  return {
    requests,
    kubeconfig: async request => {
      requests.push(request);
      return sign(request);
    },
    inspect: async kubeconfig => {
      const [, clusterName = '', server = '', expiresAt = ''] = /^signed (\S+) (\S+) (\d+)$/.exec(kubeconfig) ?? [];
      return expiresAt === '' ? undefined : { clusterName, server, expiresAt: Number(expiresAt) };
    },
  };
}

/** Returns a kubeconfig of the fake signer, signed now or earlier. */
export function aSignedKubeconfig({ clusterName, server, expiresAt }: OwnKubeconfig): string {
  return `signed ${clusterName} ${server} ${expiresAt}`;
}

function sign({ authority, clusterName, server, now }: KubeconfigRequest): Checked<string> {
  if (!authority.certificate.startsWith('PEM')) {
    return invalid('failed to decode CA Cert: unable to decode PEM data');
  }
  return authority.privateKey.startsWith('PEM')
    ? valid(aSignedKubeconfig({ clusterName, server, expiresAt: now + yearMs }))
    : invalid('failed to decode private key: unable to decode PEM data');
}

export interface FakeWorkload extends WorkloadClusters {
  /** Sets the result of the next probe. */
  answer: Probe;
  readonly targets: readonly ProbeTarget[];
}

export function fakeWorkload(answer: Probe = { ok: true }): FakeWorkload {
  const targets: ProbeTarget[] = [];
  return {
    answer,
    targets,
    async probe(target) {
      targets.push(target);
      return this.answer;
    },
  };
}

export function probeFailed(lastSuccessAt?: Instant): Probe {
  return { ok: false, error: 'connection refused', ...(lastSuccessAt === undefined ? {} : { lastSuccessAt }) };
}
