// The in-process API server of a local run without a kubeconfig. It writes a kubeconfig for kubectl and for the CLI
// commands.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type ApiServerOptions, startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { AuditPolicyError } from '@capi-serverless/apiserver/audit';
import { SnapshotError } from '@capi-serverless/apiserver/snapshot';
import { toError } from '@capi-serverless/reconciler';
import { convertedVersions } from './converted-versions.ts';
import { checkWritable, keepSaved, readDataFile, toDataError } from './data-file.ts';
import { runFolder, toRunFiles } from './run-folder.ts';
import { UsageError } from './usage-error.ts';

/** The path of the kubeconfig of the local run in progress. */
export const embeddedKubeconfigPath = toRunFiles(runFolder).kubeconfig;

interface EmbeddedOptions {
  /** The port. 0 selects any free port. */
  readonly port: number;
  /** The path of the kubeconfig for users. */
  readonly kubeconfigPath: string;
  /** The file from which objects are loaded and to which they are saved. If `undefined`, objects are not saved. */
  readonly dataFile: string | undefined;
  /** Called if objects cannot be saved while the server runs. Default: they are saved by a later attempt. */
  readonly onUnsaved?: ((message: string) => void) | undefined;
  /** The rules for writes. Default: every valid object is stored as written. */
  readonly admission?: Pick<ApiServerOptions, 'mutate' | 'admit'> | undefined;
  /** The receiver of audit events. Default: none. */
  readonly audit?: ApiServerOptions['audit'] | undefined;
}

export interface Embedded {
  /** The kubeconfig of this server only. It exists while the server runs. */
  readonly kubeconfigPath: string;
  /** Whether objects were loaded at start. */
  readonly restored: boolean;
  /** Removes the kubeconfigs. With a data file, saves the objects. Throws UsageError if they cannot be saved. */
  stop(): Promise<void>;
}

/** Throws UsageError if the port or the data file cannot be used, and AuditPolicyError for an invalid policy. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { port, kubeconfigPath, dataFile, admission, audit, onUnsaved = () => undefined } = options;
  const snapshot = dataFile === undefined ? undefined : await readDataFile(dataFile);
  if (dataFile !== undefined) {
    await checkWritable(dataFile);
  }
  const server = await startApiServer({
    port,
    conversion: convertedVersions,
    ...withoutUndefined({ snapshot, ...admission, audit }),
  }).catch(thrown => {
    throw toStartError(thrown, { port, dataFile });
  });
  const saved =
    dataFile === undefined
      ? undefined
      : keepSaved({ file: dataFile, core: server.core, clock: systemClock, onFailure: onUnsaved });
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
      await saved?.stop();
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

/** A later local run may have replaced the file. */
function removeIfOurs(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) {
    rmSync(file);
  }
}
