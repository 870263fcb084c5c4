// The options of a local run.
import { fileURLToPath } from 'node:url';
import type { WorkQueueLayout } from '../shared/workqueue/queue-specs.ts';
import type { SourceName } from './source-names.ts';

export interface StartOptions {
  /** The path of the kubeconfig. If `undefined`, the embedded API server is used. */
  readonly kubeconfig: string | undefined;
  /** The port of the embedded API server. 0 selects any free port. */
  readonly port: number;
  /** The file from which the embedded API server loads its objects, and to which it saves them while it runs. */
  readonly data: string | undefined;
  /** Whether the embedded API server denies the writes that Cluster API's webhooks deny. */
  readonly admission: boolean;
  /** Whether the examples are applied to the embedded API server, if no other manifests are given. */
  readonly examples: boolean;
  readonly apply: readonly string[];
  /** The folders of external providers. */
  readonly providers: readonly string[];
  /** Whether the example extension server runs and its ExtensionConfig is applied. */
  readonly withExtension: boolean;
  readonly installCrds: boolean;
  readonly exitWhenReady: boolean;
  readonly timeoutSeconds: number;
  readonly watchFilter: string;
  /** Whether each core reconciler has its own queue and function, or all share one of each. */
  readonly layout: WorkQueueLayout;
  readonly sources: readonly SourceName[];
  /** The port of the audit webhook. 0 selects any free port. */
  readonly auditPort: number;
  /** The folder with the token and certificate of the audit webhook. */
  readonly auditFolder: string;
  /** The folder of the kubeconfig and the queues for other commands. If `undefined`, the first that is free. */
  readonly folder: string | undefined;
  /** The port of the page about the run. 0 selects any free port. If `undefined`, there is no page. */
  readonly pagePort: number | undefined;
  readonly json: boolean;
}

/** The port is fixed, so that an API server can use later runs without new configuration. */
export const defaultAuditPort = 9780;
export const defaultAuditFolder = fileURLToPath(new URL('../dist/audit-webhook', import.meta.url));
export const defaultTimeoutSeconds = 300;
