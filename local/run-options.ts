// The options of a local run.
import { fileURLToPath } from 'node:url';
import type { SourceName } from './source-names.ts';

export interface RunOptions {
  /** `undefined`: the embedded API server. */
  readonly kubeconfig: string | undefined;
  /** Port of the embedded API server; 0: any free port. */
  readonly port: number;
  /** The file that the embedded API server loads its objects from and saves them to. */
  readonly data: string | undefined;
  /** The embedded API server denies the writes that Cluster API's webhooks deny. */
  readonly admission: boolean;
  /** Apply the examples to the embedded API server, unless other manifests are given. */
  readonly examples: boolean;
  readonly apply: readonly string[];
  /** Folders of external providers. */
  readonly providers: readonly string[];
  /** Run the example extension server, and apply its ExtensionConfig. */
  readonly withExtension: boolean;
  readonly installCrds: boolean;
  readonly exitWhenReady: boolean;
  readonly timeoutSeconds: number;
  readonly watchFilter: string;
  readonly sources: readonly SourceName[];
  /** Port of the audit webhook; 0: any free port. */
  readonly auditPort: number;
  /** Holds the audit webhook's token and certificate. */
  readonly auditFolder: string;
  readonly json: boolean;
}

/** Fixed, so that an API server that was configured once reaches later runs as well. */
export const defaultAuditPort = 9780;
export const defaultAuditFolder = fileURLToPath(new URL('../dist/audit-webhook', import.meta.url));
export const defaultTimeoutSeconds = 300;
