// The API servers to compare. Each runs in separate processes.
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { startChild } from '../../test/support/child-program.ts';
import { startControlPlane } from '../../test/support/real-control-plane.ts';

export interface Server {
  /** The header of its column. */
  readonly title: string;
  /** Resolves when the server answers requests. */
  start(): Promise<RunningServer>;
}

export interface RunningServer {
  /** The credentials of a cluster administrator. */
  readonly kubeconfigPath: string;
  /** The server's processes, with its storage. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export const embedded: Server = {
  title: 'embedded',
  async start() {
    const child = await startChild({
      program: process.execPath,
      args: ['local/apiserver/main.ts'],
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
