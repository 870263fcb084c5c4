// The API server of a local run that was given none: in this process, behind a kubeconfig that kubectl and our commands use.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toError } from '../../shared/kernel/errors.ts';
import { projectRoot } from '../bundles/bundle.ts';
import { AuditPolicyError } from './apiserver/audit/policy.ts';
import { SnapshotError } from './apiserver/core/snapshot.ts';
import { writeKubeconfig } from './apiserver/http/kubeconfig.ts';
import { type ApiServerOptions, startApiServer } from './apiserver/server.ts';
import { readDataFile, toDataError, writeDataFile } from './data-file.ts';
import { UsageError } from './options.ts';

/** Where the kubeconfig of the running local run lies. */
export const embeddedKubeconfigPath = path.join(projectRoot, 'dist/kubeconfig');

export interface EmbeddedOptions {
  /** 0: any free one. */
  readonly port: number;
  /** For users: of several runs at a time the last one's. */
  readonly kubeconfigPath: string;
  /** Where the objects come from and go to. Without it nothing is kept. */
  readonly dataFile: string | undefined;
  /** Decides about writes. Default: all are fine. */
  readonly admit?: ApiServerOptions['admit'] | undefined;
  /** Where to tell of requests. Default: nowhere. */
  readonly audit?: ApiServerOptions['audit'] | undefined;
}

export interface Embedded {
  /** Of this server and no other, for as long as it runs. */
  readonly kubeconfigPath: string;
  /** Whether objects were there from the beginning. */
  readonly restored: boolean;
  /** Takes the kubeconfigs away and, with a data file, saves the objects. */
  stop(): Promise<void>;
}

/** Throws UsageError when the port or the data file cannot be used, AuditPolicyError for a policy that is none. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { port, kubeconfigPath, dataFile, admit, audit } = options;
  const snapshot = dataFile === undefined ? undefined : await readDataFile(dataFile);
  const server = await startApiServer({
    port,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(admit === undefined ? {} : { admit }),
    ...(audit === undefined ? {} : { audit }),
  }).catch(thrown => {
    throw toStartError(thrown, { port, dataFile });
  });
  mkdirSync(path.dirname(kubeconfigPath), { recursive: true });
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  const own = mkdtempSync(path.join(tmpdir(), 'capi-serverless-'));
  const ownKubeconfig = path.join(own, 'kubeconfig');
  writeKubeconfig(ownKubeconfig, server.kubeconfig);
  return {
    kubeconfigPath: ownKubeconfig,
    restored: snapshot !== undefined,
    stop: async () => {
      removeIfOurs(kubeconfigPath, server.kubeconfig);
      rmSync(own, { recursive: true, force: true });
      await server.stop();
      if (dataFile !== undefined) {
        await writeDataFile(dataFile, server.core.snapshot());
      }
    },
  };
}

function toStartError(thrown: unknown, { port, dataFile }: Pick<EmbeddedOptions, 'port' | 'dataFile'>): unknown {
  if (thrown instanceof AuditPolicyError) {
    return thrown;
  }
  return thrown instanceof SnapshotError ? toDataError(dataFile ?? '', thrown) : toPortError(port, thrown);
}

function toPortError(port: number, thrown: unknown): UsageError {
  const remedy = 'choose another --port, or none for a free one';
  return new UsageError(`Port ${port} cannot be used: ${toError(thrown).message}; ${remedy}`, { cause: thrown });
}

/** Another local run that was started meanwhile has put its own there. */
function removeIfOurs(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) {
    rmSync(file);
  }
}
