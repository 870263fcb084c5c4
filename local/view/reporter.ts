// The output of the local run: a live view for terminals, text lines for users, or JSON lines for programs. Only this
// module writes to standard output.

import { type Clock, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import type { ClusterView } from '../../functions/cluster/why/cluster-view.ts';
import type { ClusterSnapshot } from '../../functions/cluster/why/snapshot.ts';
import { type ExtensionView, toDetail } from '../../functions/extensionconfig/explain.ts';
import type { Summary } from '../counters.ts';
import type { Missing } from './board.ts';
import { toFrame } from './frame.ts';
import { createLive } from './live.ts';
import type { OutputTerminal } from './terminal.ts';

export interface RunSummary extends Summary {
  readonly seconds: number;
}

export interface Reporter {
  started(server: string, reconcilers: readonly string[]): void;
  note(message: string): void;
  /** `view` is undefined if the Cluster was deleted. */
  changed(cluster: string, view: ClusterView | undefined): void;
  /** `view` is undefined if the ExtensionConfig was deleted. */
  extensionChanged(name: string, view: ExtensionView | undefined): void;
  /** Reports a log line of a function. */
  log(line: Readonly<Record<string, unknown>>): void;
  /** Reports the objects that were not ready in time, and what they wait for. */
  notReady(missing: readonly Missing[]): void;
  summary(summary: RunSummary): void;
  /** Prints lines of text unchanged. */
  advice(lines: readonly string[]): void;
  /** Whether `objects` has an effect. If so, the objects of Clusters must be followed. */
  readonly showsObjects: boolean;
  /** Reports a change. The function is called when the view is drawn. */
  objects(snapshots: () => readonly ClusterSnapshot[]): void;
  /** Like `objects`, for ExtensionConfigs. */
  extensions(objects: () => readonly Unstructured[]): void;
  /** Ends a live view. Later output is printed below it. May be called again. */
  close(): void;
}

interface ReporterOptions {
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** Set if standard output is a terminal. Then Clusters are drawn as trees, in place. */
  readonly live?: { readonly terminal: OutputTerminal; readonly clock: Clock } | undefined;
}

/** The maximum number of distinct errors of functions that are printed below the trees. */
const mostErrors = 3;
const noObjects = {
  showsObjects: false,
  objects: () => undefined,
  extensions: () => undefined,
  close: () => undefined,
} as const;

export function createReporter(options: ReporterOptions): Reporter {
  if (options.json) {
    return jsonReporter(options);
  }
  return options.live === undefined ? lineReporter(options) : liveReporter(options, options.live);
}

function jsonReporter({ write, now }: ReporterOptions): Reporter {
  const print = (event: string, fields: object): void =>
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), event, ...fields })}\n`);
  return {
    started: (server, reconcilers) => print('started', { server, reconcilers }),
    note: message => print('note', { message }),
    changed: (cluster, view) => print(view === undefined ? 'gone' : 'cluster', { cluster, ...view }),
    extensionChanged: (extension, view) =>
      print(view === undefined ? 'extensionGone' : 'extension', { extension, ...view }),
    log: line => print('log', { line }),
    notReady: missing => print('notReady', toMissingFields(missing)),
    summary: summary => print('summary', summary),
    advice: lines => print('advice', { lines }),
    ...noObjects,
  };
}

function lineReporter({ write, now }: ReporterOptions): Reporter {
  const print = (text: string): void => write(`${new Date(now()).toISOString().slice(11, 19)}  ${text}\n`);
  return {
    started: (server, reconcilers) =>
      print(`Reconciling Clusters of ${server} (${reconcilers.join(', ')}); Ctrl-C stops`),
    note: print,
    changed: (cluster, view) => print(toLine(cluster, view)),
    extensionChanged: (name, view) => print(`ExtensionConfig ${name}  ${view === undefined ? 'gone' : toDetail(view)}`),
    log: line => {
      if (line['level'] === 'error') {
        print(toErrorText(line));
      }
    },
    notReady: missing => {
      for (const one of missing) {
        const problem =
          'cluster' in one ? `${one.cluster} is not Provisioned` : `ExtensionConfig ${one.extension} is not Discovered`;
        print(`${problem}; waiting for ${one.waitingFor}`);
      }
    },
    summary: summary => write(toSummaryText(summary)),
    advice: lines => write(['', ...lines, ''].join('\n')),
    ...noObjects,
  };
}

/** Prints the output of a line reporter, except for the content of the trees. */
function liveReporter({ now }: ReporterOptions, { terminal, clock }: NonNullable<ReporterOptions['live']>): Reporter {
  const errors = new Map<string, number>();
  let snapshots: () => readonly ClusterSnapshot[] = () => [];
  let extensions: () => readonly Unstructured[] = () => [];
  const { color } = terminal;
  const live = createLive({
    terminal,
    clock,
    draw: size =>
      toFrame(
        { snapshots: snapshots(), extensions: extensions(), errors: [...errors].map(toRepeated) },
        { ...size, color },
      ),
  });
  return {
    ...lineReporter({ json: false, write: live.print, now }),
    changed: live.refresh,
    extensionChanged: live.refresh,
    log(line) {
      if (line['level'] === 'error') {
        remember(errors, toErrorText(line));
        live.refresh();
      }
    },
    showsObjects: true,
    objects(current) {
      snapshots = current;
      live.refresh();
    },
    extensions(current) {
      extensions = current;
      live.refresh();
    },
    close: live.close,
  };
}

/** ExtensionConfigs are included only if there are any, because most runs have none. */
function toMissingFields(missing: readonly Missing[]): object {
  const extensions = missing.filter(one => 'extension' in one);
  return {
    clusters: missing.filter(one => 'cluster' in one),
    ...(extensions.length === 0 ? {} : { extensions }),
  };
}

/** The latest error is last. A repeated error moves to the end. */
function remember(errors: Map<string, number>, error: string): void {
  const times = errors.get(error) ?? 0;
  errors.delete(error);
  errors.set(error, times + 1);
  for (const oldest of [...errors.keys()].slice(0, -mostErrors)) {
    errors.delete(oldest);
  }
}

function toRepeated([error, times]: readonly [string, number]): string {
  return times === 1 ? error : `${error} (${times} times)`;
}

function toErrorText(line: Readonly<Record<string, unknown>>): string {
  return `${String(line['message'])}: ${String(line['error'])}${toSubject(line)}`;
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
  const { controller, namespace = '', name } = line;
  const object = toDisplayName({ namespace: String(namespace), name: String(name) });
  return controller === undefined ? '' : ` (${String(controller)} ${object})`;
}

/** Further counts are added up. The JSON lines have all of them. */
const mostCounts = 12;
const summaryColumns = 100;
const summaryIndent = 14;

/** The largest counts, in lines that are not longer than usual terminals. */
function toCountText(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const others = sorted.slice(mostCounts);
  const sum = others.reduce((total, [, count]) => total + count, 0);
  const parts = [
    ...sorted.slice(0, mostCounts).map(([name, count]) => `${name} ${count}`),
    ...(others.length === 0 ? [] : [`${others.length} others ${sum}`]),
  ];
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    if (line === undefined || summaryIndent + line.length + part.length + 3 > summaryColumns) {
      lines.push(part);
    } else {
      lines[lines.length - 1] = `${line}, ${part}`;
    }
  }
  return lines.join(`,\n${' '.repeat(summaryIndent)}`);
}

function toSummaryText(summary: RunSummary): string {
  return [
    '',
    `seconds       ${summary.seconds.toFixed(1)}`,
    `reconciles    ${toCountText(summary.reconciles)}${summary.failedReconciles === 0 ? '' : ` (${summary.failedReconciles} failed)`}`,
    `invocations   ${toCountText(summary.invocations)}`,
    `messages      ${summary.messages}`,
    `API requests  ${summary.requestsTotal}`,
    `              ${toCountText(summary.requests)}`,
    '',
  ].join('\n');
}
