// The API server of a local run that was given none: in this process, behind a kubeconfig that kubectl and our commands use.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { toError } from '../../shared/kernel/errors.ts';
import { projectRoot } from '../bundles/bundle.ts';
import { writeKubeconfig } from './apiserver/http/kubeconfig.ts';
import { startApiServer } from './apiserver/server.ts';
import { UsageError } from './options.ts';

/** Where the kubeconfig of the running local run lies. */
export const embeddedKubeconfigPath = path.join(projectRoot, 'dist/kubeconfig');

export interface Embedded {
  readonly kubeconfigPath: string;
  stop(): Promise<void>;
}

/** `port` 0: any free one. Throws UsageError when the port cannot be used. The kubeconfig goes with the server. */
export async function startEmbedded(options: {
  readonly port: number;
  readonly kubeconfigPath: string;
}): Promise<Embedded> {
  const { port, kubeconfigPath } = options;
  const server = await startApiServer({ port }).catch(thrown => {
    const { message } = toError(thrown);
    throw new UsageError(`Port ${port} cannot be used: ${message}; choose another --port, or none for a free one`, {
      cause: thrown,
    });
  });
  mkdirSync(path.dirname(kubeconfigPath), { recursive: true });
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  return {
    kubeconfigPath,
    stop: async () => {
      removeIfOurs(kubeconfigPath, server.kubeconfig);
      await server.stop();
    },
  };
}

/** Another local run that was started meanwhile has put its own there. */
function removeIfOurs(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) {
    rmSync(file);
  }
}
