// What the local run prints: lines for people, JSON lines for programs. Standard output is this file's alone.
import type { Summary } from '../counters.ts';
import type { ClusterView } from './waiting.ts';

export interface RunSummary extends Summary {
  readonly seconds: number;
}

export interface Reporter {
  started(server: string, reconcilers: readonly string[]): void;
  note(message: string): void;
  /** `view` undefined: the Cluster is gone. */
  changed(cluster: string, view: ClusterView | undefined): void;
  /** A function's log line. */
  log(line: Readonly<Record<string, unknown>>): void;
  /** Clusters that did not get ready in time, and what they wait for. */
  notReady(clusters: readonly { readonly cluster: string; readonly waitingFor: string }[]): void;
  summary(summary: RunSummary): void;
}

export interface ReporterOptions {
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly now: () => number;
}

export function createReporter(options: ReporterOptions): Reporter {
  return options.json ? jsonReporter(options) : lineReporter(options);
}

function jsonReporter({ write, now }: ReporterOptions): Reporter {
  const print = (event: string, fields: object): void =>
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), event, ...fields })}\n`);
  return {
    started: (server, reconcilers) => print('started', { server, reconcilers }),
    note: message => print('note', { message }),
    changed: (cluster, view) => print(view === undefined ? 'gone' : 'cluster', { cluster, ...view }),
    log: line => print('log', { line }),
    notReady: clusters => print('notReady', { clusters }),
    summary: summary => print('summary', summary),
  };
}

function lineReporter({ write, now }: ReporterOptions): Reporter {
  const print = (text: string): void => write(`${new Date(now()).toISOString().slice(11, 19)}  ${text}\n`);
  return {
    started: (server, reconcilers) =>
      print(`Reconciling Clusters of ${server} (${reconcilers.join(', ')}); Ctrl-C stops`),
    note: print,
    changed: (cluster, view) => print(toLine(cluster, view)),
    log: line => {
      if (line['level'] === 'error') {
        print(`${String(line['message'])}: ${String(line['error'])}${toSubject(line)}`);
      }
    },
    notReady: clusters => {
      for (const { cluster, waitingFor } of clusters) {
        print(`${cluster} is not Provisioned; waiting for ${waitingFor}`);
      }
    },
    summary: summary => write(toSummaryText(summary)),
  };
}

function toLine(cluster: string, view: ClusterView | undefined): string {
  if (view === undefined) {
    return `${cluster}  gone`;
  }
  const phase = view.phase === '' ? 'new' : view.phase;
  if (view.waitingFor !== '') {
    return `${cluster}  ${phase}  waiting for ${view.waitingFor}`;
  }
  return `${cluster}  ${phase}${view.available ? '  Available' : ''}`;
}

function toSubject(line: Readonly<Record<string, unknown>>): string {
  const { controller, namespace, name } = line;
  return controller === undefined ? '' : ` (${String(controller)} ${String(namespace)}/${String(name)})`;
}

function toSummaryText(summary: RunSummary): string {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    '',
    `seconds       ${summary.seconds.toFixed(1)}`,
    `reconciles    ${list(summary.reconciles)}${summary.failedReconciles === 0 ? '' : ` (${summary.failedReconciles} failed)`}`,
    `invocations   ${list(summary.invocations)}`,
    `messages      ${summary.messages}`,
    `API requests  ${summary.requestsTotal}: ${list(summary.requests)}`,
    '',
  ].join('\n');
}
