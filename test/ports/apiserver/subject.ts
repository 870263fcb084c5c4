// The API servers that the suites run against, and what every suite needs there.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { writeKubeconfig } from '../../../infra/local/apiserver/http/kubeconfig.ts';
import { type ApiServerOptions, startApiServer } from '../../../infra/local/apiserver/server.ts';
import { createRawHttp } from '../../support/raw-http.ts';
import { type ControlPlaneOptions, startControlPlane } from '../../support/real-control-plane.ts';
import { drifterCrd, gizmoCrd, group, widgetCrd } from './fixtures.ts';
import { type Api, created, freshName, ours } from './world.ts';

export interface ApiServerSubject {
  readonly url: string;
  readonly caPem: string;
  /** Of a user who may do everything. */
  readonly token: string;
  /** Of a user without rights, where the server has users. */
  readonly guestToken?: string;
  /** A file whose current context reaches the server as the first user. */
  readonly kubeconfigPath: string;
  /** Forgets the history that watches resume from, where the server can be told to. */
  readonly compact?: () => void;
  close(): Promise<void>;
}

/** The embedded server; closing it fails when it made mistakes of its own meanwhile. */
export async function openEmbedded(options: ApiServerOptions = {}): Promise<ApiServerSubject> {
  const mistakes: unknown[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'capi-embedded-'));
  const server = await startApiServer({
    users: [{ name: 'guest', groups: [] }],
    onMistake: (error, what) => mistakes.push(what, error),
    ...options,
  });
  const kubeconfigPath = join(dir, 'kubeconfig');
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  return {
    url: server.url,
    caPem: server.caPem,
    token: server.token,
    guestToken: server.tokenOf('guest'),
    kubeconfigPath,
    compact: () => server.core.compact(),
    async close() {
      await server.stop();
      rmSync(dir, { recursive: true });
      expect(mistakes).toEqual([]);
    },
  };
}

/** A real kube-apiserver, with its garbage collector and namespace controller where they are found. */
export async function openReal(options: ControlPlaneOptions = {}): Promise<ApiServerSubject> {
  const plane = await startControlPlane({ users: [{ name: 'guest' }], ...options });
  return {
    url: plane.url,
    caPem: plane.caPem,
    token: plane.token('admin'),
    guestToken: plane.token('guest'),
    kubeconfigPath: plane.kubeconfigPath('admin'),
    close: () => plane.stop(),
  };
}

/** Clients of the server, a namespace and the kinds of the suites. */
export async function prepare(subject: ApiServerSubject): Promise<Api> {
  const { url, caPem, token, guestToken, kubeconfigPath } = subject;
  const as = (bearer: string) => createRawHttp({ url, caPem, token: bearer });
  const namespace = freshName('conformance');
  const api: Api = {
    http: as(token),
    stranger: as(randomUUID()),
    guest: guestToken === undefined ? undefined : as(guestToken),
    kubeconfigPath,
    namespace,
  };
  created(
    await api.http.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
  );
  await Promise.all([widgetCrd, drifterCrd, gizmoCrd].map(crd => install(api, crd)));
  return api;
}

type Definition = { readonly spec: { readonly names: Readonly<Record<'kind' | 'plural', string>> } };

/** A CRD is served some moments after it is stored, and its objects can be stored some moments later. */
export async function install(api: Api, crd: Definition): Promise<void> {
  const { kind, plural } = crd.spec.names;
  created(await api.http.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd));
  const probe = { apiVersion: `${group}/v1`, kind, metadata: { name: freshName('probe') }, spec: {} };
  await vi.waitFor(async () => created(await api.http.post(ours(api, plural), probe)), {
    timeout: 15_000,
    interval: 50,
  });
}
