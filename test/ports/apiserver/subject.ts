// The API servers under test, and the requirements of every suite.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerOptions, startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { expect, vi } from 'vitest';
import { createRawHttp } from '../../support/raw-http.ts';
import { type ControlPlaneOptions, startControlPlane } from '../../support/real-control-plane.ts';
import { freshName } from '../answers.ts';
import { type Api, created, ours } from './api-case.ts';
import { drifterCrd, fleetCrd, gizmoCrd, group, widgetCrd } from './fixtures.ts';

export interface ApiServerSubject {
  readonly url: string;
  readonly caPem: string;
  /** The token of a cluster administrator. */
  readonly token: string;
  /** The token of a user without permissions, if the server has users. */
  readonly unprivilegedToken?: string;
  /** The path of a kubeconfig. The user of its current context is the administrator. */
  readonly kubeconfigPath: string;
  /** Compacts the history from which watches resume, if the server supports this. */
  readonly compact?: () => void;
  close(): Promise<void>;
}

/** The embedded server. `close` fails if the server logged internal errors. */
export async function openEmbedded(options: ApiServerOptions = {}): Promise<ApiServerSubject> {
  const mistakes: unknown[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'capi-embedded-'));
  const server = await startApiServer({
    users: [{ name: 'unprivileged', groups: [] }],
    onUnexpectedError: (error, what) => mistakes.push(what, error),
    ...options,
  });
  const kubeconfigPath = join(dir, 'kubeconfig');
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  return {
    url: server.url,
    caPem: server.caPem,
    token: server.token,
    unprivilegedToken: server.tokenOf('unprivileged'),
    kubeconfigPath,
    compact: () => server.core.compact(),
    async close() {
      await server.stop();
      rmSync(dir, { recursive: true });
      expect(mistakes).toEqual([]);
    },
  };
}

/** A real kube-apiserver, with its garbage collector and namespace controller if they are installed. */
export async function openReal(options: ControlPlaneOptions = {}): Promise<ApiServerSubject> {
  const plane = await startControlPlane({ users: [{ name: 'unprivileged' }], ...options });
  return {
    url: plane.url,
    caPem: plane.caPem,
    token: plane.token('admin'),
    unprivilegedToken: plane.token('unprivileged'),
    kubeconfigPath: plane.kubeconfigPath('admin'),
    close: () => plane.stop(),
  };
}

/** Creates clients of the server, a namespace and the kinds of the suites. */
export async function prepare(subject: ApiServerSubject): Promise<Api> {
  const { url, caPem, token, unprivilegedToken, kubeconfigPath } = subject;
  const as = (bearer: string) => createRawHttp({ url, caPem, token: bearer });
  const namespace = freshName('conformance');
  const api: Api = {
    http: as(token),
    unauthorized: as(randomUUID()),
    unprivileged: unprivilegedToken === undefined ? undefined : as(unprivilegedToken),
    kubeconfigPath,
    namespace,
  };
  created(
    await api.http.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
  );
  await Promise.all([widgetCrd, drifterCrd, gizmoCrd, fleetCrd].map(crd => install(api, crd)));
  return api;
}

type Definition = { readonly spec: { readonly names: Readonly<Record<'kind' | 'plural', string>> } };

/** A CRD is served with a delay after it is stored. After a further delay, its objects can be created. */
export async function install(api: Api, crd: Definition): Promise<void> {
  const { kind, plural } = crd.spec.names;
  created(await api.http.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd));
  const probe = { apiVersion: `${group}/v1`, kind, metadata: { name: freshName('probe') }, spec: {} };
  await vi.waitFor(async () => created(await api.http.post(ours(api, plural), probe)), {
    timeout: 300_000,
    interval: 50,
  });
}
