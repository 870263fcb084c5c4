// The API servers that the section compares: each started fresh, in processes of its own.
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { startControlPlane } from '../../test/support/real-control-plane.ts';
import { startChild } from '../plain/child.ts';

export interface Server {
  /** Heads its column. */
  readonly title: string;
  /** Resolves when requests are answered. */
  start(): Promise<RunningServer>;
}

export interface RunningServer {
  /** Of a user who may do everything. */
  readonly kubeconfigPath: string;
  /** What serves and stores. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export const embedded: Server = {
  title: 'embedded',
  async start() {
    const child = await startChild({
      program: process.execPath,
      args: ['infra/local/apiserver/main.ts'],
      cwd: projectRoot,
      isReady: line => line.includes('"ready":true'),
      endsWith: 'SIGTERM',
    });
    const { kubeconfig }: { readonly kubeconfig: string } = JSON.parse(child.lastLine());
    return { kubeconfigPath: kubeconfig, pids: [child.pid], stop: child.stop };
  },
};

export const real: Server = {
  title: 'kube-apiserver + etcd',
  async start() {
    const plane = await startControlPlane({ controllers: false });
    return {
      kubeconfigPath: plane.kubeconfigPath('admin'),
      pids: Object.values(plane.pids),
      stop: () => plane.stop(),
    };
  },
};
